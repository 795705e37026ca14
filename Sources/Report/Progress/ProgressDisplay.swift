package import SystemKit
package import TransferModel

/// Shows a run to the user, on standard error.
package final class ProgressDisplay: RunEventSink {
    /// The time without a line after which `plain` output says that the run continues.
    private static let longestSilence = Duration.seconds(30)
    /// The shortest time between two frames.
    private static let minimumInterval = Duration.milliseconds(200)
    /// Longer estimates are not shown.
    private static let maximumSecondsLeft = 360_000.0

    private let style: ProgressStyle
    private let redactor: Redactor?
    private let foreign: ForeignText
    private let lines: ProgressLines
    private let reportPath: () -> String?
    private let traits: () -> TerminalTraits
    private let now: () -> MonotonicTime
    private let write: ([UInt8]) -> Void

    private var startDate: Timestamp?
    private var total = ProgressFrame.Total(tasks: 0, done: 0, failed: 0, bytes: 0)
    private var running: [TaskProgress] = []
    private var rate = RateWindow()
    private var lastDrawing: MonotonicTime?
    /// When text was last written, or the run began.
    private var lastWriting: MonotonicTime
    /// The error output of the programs behind bodies, by task.
    private var errorLines: [String: ProgramLines] = [:]
    /// The lines at the end of the screen that the next frame replaces.
    private var picture: [String] = []

    /// A display that calls `traits` before each frame, because a terminal may change its size, and
    /// `reportPath` at the end, when the report exists or not.
    ///
    /// `redactor` finds secrets in programs' output, wherever it is split.
    package init(
        style: ProgressStyle,
        redactor: Redactor? = nil,
        reportPath: @autoclosure @escaping () -> String? = nil,
        traits: @escaping () -> TerminalTraits = TerminalTraits.ofStandardError,
        now: @escaping () -> MonotonicTime = {
            MonotonicTime(nanoseconds: Clock.monotonicNanoseconds())
        },
        write: @escaping ([UInt8]) -> Void = StatusStream().write
    ) {
        let first = traits()
        self.style = style.resolved(for: first)
        self.redactor = redactor
        foreign = ForeignText(redactor: redactor)
        lines = ProgressLines(usesColor: first.usesColor, foreign: foreign)
        self.reportPath = reportPath
        self.traits = traits
        self.now = now
        self.write = write
        lastWriting = now()
    }

    /// The wanted interval of `progress` events; nil when they are not shown.
    ///
    /// In `plain` output, events serve to detect long silences, with a few checks in each.
    package var progressInterval: Duration? {
        switch style {
        case .bar: Self.minimumInterval
        case .plain: Self.longestSilence / 6
        case .auto, .none: nil
        }
    }

    /// Draws what the event changes; the output of programs appears in every style.
    package func receive(_ event: RunEvent) {
        // A program's output is shown in every style.
        if case .taskWrote(let id, let bytes, let isLast) = event {
            show(bytes, of: id, isLast: isLast)
            return
        }
        guard style != .none else { return }
        switch event {
        case .started(let header):
            startDate = header.startDate
            total.tasks = header.taskCount
        case .taskStarted(let task):
            running.append(task)
        case .progress(let tasks):
            running = tasks
            redraw()
            breakSilence()
        case .taskWillRetry(let id, let attempt, let failure, let wait):
            guard style == .plain else { return }
            let line = lines.retry(
                id: id,
                attempt: attempt,
                failure: failure,
                waitMicroseconds: wait
            )
            replace([], after: line)
        case .taskWaiting(let id, let failure):
            replace(picture, after: lines.waiting(id: id, failure: failure))
        case .taskWrote: break
        case .taskFinished(let record):
            finish(record)
        case .stopping(let reason, let running):
            replace([], after: lines.stopping(reason: reason, running: running))
            redraw()
        case .finished(let summary):
            replace(
                [],
                after: lines.summary(summary, startDate: startDate, reportPath: reportPath())
            )
        }
    }

    /// In `plain` output, reports that the run continues, after a long silence.
    private func breakSilence() {
        guard style == .plain else { return }
        let time = now()
        let bytes = total.bytes + running.reduce(0) { $0 + $1.payloadBytes }
        rate.add(bytes: bytes, tasks: total.done, at: time)
        guard time - lastWriting >= Self.longestSilence, !running.isEmpty else { return }
        var state = total
        state.bytes = bytes
        state.bytesPerSecond = rate.bytesPerSecond
        replace([], after: lines.stillRunning(running.map(\.id), state))
    }

    private func show(_ bytes: [UInt8], of id: String, isLast: Bool) {
        var text = errorLines.removeValue(forKey: id) ?? ProgramLines(redactor: redactor)
        let shown = text.take(bytes, isLast: isLast)
        if !isLast { errorLines[id] = text }
        guard !shown.isEmpty else { return }
        replace(picture, after: shown.map { lines.wrote($0, id: id) }.joined())
    }

    private func finish(_ record: TaskRecord) {
        total.done += 1
        total.bytes +=
            record.kind == .upload ? record.countOfBytesSent : record.countOfBytesReceived
        if record.outcome == .failed { total.failed += 1 }
        if let index = running.firstIndex(where: { $0.id == record.id }) {
            running.remove(at: index)
        }
        if style == .plain || record.error != nil {
            replace(picture, after: lines.finished(record))
        }
        redraw()
    }

    /// Replaces the frame by permanent lines and a new frame below them, in one write.
    private func replace(_ next: [String], after text: String = "") {
        // Up to the first line and clear to the end of the screen (ECMA-48 §8.3.35, §8.3.39).
        let erasure = picture.isEmpty ? "" : "\u{1B}[\(picture.count)F\u{1B}[J"
        picture = next
        lastWriting = now()
        write(Array((erasure + text + next.map { $0 + "\n" }.joined()).utf8))
    }

    private func redraw() {
        guard style == .bar else { return }
        let time = now()
        if let lastDrawing, time - lastDrawing < Self.minimumInterval { return }
        lastDrawing = time

        var state = total
        state.bytes += running.reduce(0) { $0 + $1.payloadBytes }
        rate.add(bytes: state.bytes, tasks: state.done, at: time)
        state.bytesPerSecond = rate.bytesPerSecond
        state.secondsLeft = secondsLeft
        let traits = traits()
        let frame = ProgressFrame(running: running, total: state, foreign: foreign)
        replace(frame.lines(columns: traits.columns, rows: traits.rows))
    }

    /// Estimated by bytes if all remaining lengths are known, otherwise by tasks; nil without
    /// progress.
    private var secondsLeft: Int64? {
        let tasksLeft = total.tasks - total.done
        let expected = running.compactMap(\.countOfBytesExpected)
        let estimate: Double
        if tasksLeft == running.count, expected.count == running.count {
            let bytesLeft = zip(expected, running).reduce(0.0) {
                $0 + max(0, Double($1.0) - Double($1.1.payloadBytes))
            }
            estimate = bytesLeft / (rate.bytesPerSecond ?? 0)
        } else {
            estimate = Double(tasksLeft) / (rate.tasksPerSecond ?? 0)
        }
        // Excludes division by zero and endless waits.
        return estimate < Self.maximumSecondsLeft ? Int64(max(0, estimate.rounded(.up))) : nil
    }
}
