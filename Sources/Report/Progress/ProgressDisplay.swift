package import SystemKit
package import TransferModel

/// Shows a run to the user, on standard error.
package final class ProgressDisplay: ProgressListener {
    /// How often `plain` output says that the run continues.
    private static let heartbeat = Duration.seconds(30)
    /// The shortest time between two frames.
    private static let minimumInterval = Duration.milliseconds(200)
    /// Longer estimates are not shown.
    private static let maximumSecondsLeft = 360_000.0

    private let style: ProgressStyle
    private let lines: ProgressLines
    private let reportPath: () -> String?
    private let traits: () -> TerminalTraits
    private let now: () -> MonotonicTime
    private let wall: () -> Int64
    private let write: ([UInt8]) -> Void

    private var startDate: Timestamp?
    private var total = ProgressFrame.Total(tasks: 0, done: 0, failed: 0, bytes: 0)
    private var active = ActiveRows()
    private var rate = RateWindow()
    private var lastDrawing: MonotonicTime?
    /// When `plain` output last said that the run continues, or the run began.
    private var lastHeartbeat: MonotonicTime
    private var programs: ProgramOutput
    private var stop = StopTally()
    /// The first skipped tasks, if they have no lines.
    private var skipped: [String] = []
    private var screen = ProgressScreen()
    /// The lines at the end of the screen that the next frame replaces.
    private var picture: [String] = []
    /// Whether anything was written.
    private var hasSpoken = false

    /// A display that calls `traits` before each frame, because a terminal may change its size, and
    /// `reportPath` at the end, when the report exists or not.
    ///
    /// `redactor` finds secrets in programs' output, wherever it is split. `wall` reads the time of
    /// day in nanoseconds.
    package init(
        style: ProgressStyle,
        redactor: Redactor? = nil,
        reportPath: @autoclosure @escaping () -> String? = nil,
        traits: @escaping () -> TerminalTraits = TerminalTraits.ofStandardError,
        now: @escaping () -> MonotonicTime = {
            MonotonicTime(nanoseconds: Clock.monotonicNanoseconds())
        },
        wall: @escaping () -> Int64 = Clock.wallNanoseconds,
        write: @escaping ([UInt8]) -> Void = StatusStream().write
    ) {
        let first = traits()
        self.style = style.resolved(for: first)
        var foreign = ForeignText(redactor: redactor)
        foreign.isASCII = first.isASCII
        lines = ProgressLines(usesColor: first.usesColor, foreign: foreign)
        programs = ProgramOutput(redactor: redactor)
        self.reportPath = reportPath
        self.traits = traits
        self.now = now
        self.wall = wall
        self.write = write
        lastHeartbeat = now()
    }

    /// The wanted interval of `progress` events; nil when they are not shown.
    ///
    /// In `plain` output, events serve to say that the run continues, a few for each such line.
    package var progressInterval: Duration? {
        switch style {
        case .bar: Self.minimumInterval
        case .plain: Self.heartbeat / 6
        case .auto, .failures, .json, .none: nil
        }
    }

    /// Draws the changes of the event; the output of programs appears in every style but
    /// `failures`, which shows its end when the task fails.
    package func receive(_ event: RunEvent) {
        if case .taskWrote(let id, let bytes, let isLast) = event {
            show(programs.take(bytes, of: id, isLast: isLast), of: id)
            return
        }
        guard style != .none else { return }
        switch event {
        case .started(let header):
            startDate = header.startDate
            total.tasks = header.taskCount
        case .taskStarted(let task):
            active.begin(task)
        case .progress(let tasks):
            active.update(tasks, at: now(), measuresRates: style == .bar)
            redraw()
            beat()
        case .taskWillRetry(let id, let attempt, let failure, let wait, _, _):
            retry(id, attempt, failure, wait)
        case .taskWaiting(let id, let failure):
            active.wait(id, failure, until: nil)
            if style != .failures { say(stamped.waiting(id: id, failure: failure)) }
        case .taskWrote: break
        case .taskFinished(let task):
            finish(task.record)
        case .stopping(let reason, let running, let advice):
            stop.begin()
            say(stamped.stopping(reason: reason, running: running, active.ids, advice: advice))
            redraw()
        case .finished(let summary):
            finish(summary)
        }
    }

    /// The lines with the time of day, where there is no terminal to watch.
    private var stamped: ProgressLines {
        guard style == .plain || style == .failures else { return lines }
        var lines = lines
        lines.time = LocalTime.timeOfDay(at: wall())
        return lines
    }

    private func retry(_ id: String, _ attempt: Int, _ failure: TransferFailure, _ wait: Int64) {
        active.wait(id, failure, until: now() + .microseconds(wait))
        guard style == .plain else { return }
        say(stamped.retry(id: id, attempt: attempt, failure: failure, waitMicroseconds: wait))
    }

    /// In `plain` output, reports that the run continues.
    private func beat() {
        guard style == .plain else { return }
        let time = now()
        let state = state(at: time)
        guard time - lastHeartbeat >= Self.heartbeat, !active.isEmpty else { return }
        lastHeartbeat = time
        say(stamped.stillRunning(active.ids, state))
    }

    private func show(_ shown: [String], of id: String) {
        guard !shown.isEmpty else { return }
        if style == .failures {
            programs.keep(shown, of: id)
        } else {
            say(shown.map { stamped.wrote($0, id: id) }.joined())
        }
    }

    private func finish(_ record: TaskRecord) {
        total.done += 1
        total.bytes +=
            record.kind == .upload ? record.countOfBytesSent : record.countOfBytesReceived
        if record.outcome == .failed { total.failed += 1 }
        active.end(record.id)
        if style == .failures, record.outcome == .skipped, !record.isRefused,
            skipped.count < ProgressLines.mostNames
        {
            skipped.append(record.id)
        }
        let said = programs.takeKept(of: record.id)
        if shows(record), stop.lists(record) {
            say(said.map { stamped.wrote($0, id: record.id) }.joined() + stamped.finished(record))
        }
        redraw()
    }

    /// Whether the style has a line for the end of a task.
    private func shows(_ record: TaskRecord) -> Bool {
        switch style {
        case .plain: true
        // A skipped task needs a task that has a line, or its `when` does not hold.
        case .failures: record.error != nil && record.outcome != .skipped
        case .auto, .bar, .json, .none: record.error != nil
        }
    }

    private func finish(_ summary: RunSummary) {
        guard style != .failures || hasSpoken || summary.exitCode != .success else { return }
        let unlisted = TaskOutcome.allCases.compactMap { outcome in
            stop.unlisted[outcome].map { stamped.unlisted(outcome, count: $0) }
        }
        let text = lines.summary(
            summary,
            startDate: startDate,
            reportPath: reportPath(),
            skipped: skipped
        )
        replace([], after: unlisted.joined() + text)
    }

    /// Writes permanent lines above the picture.
    private func say(_ text: String) { replace(picture, after: text) }

    /// Replaces the frame by permanent lines and a new frame below them, in one write.
    private func replace(_ next: [String], after text: String = "") {
        picture = next
        hasSpoken = true
        write(screen.show(next, after: text))
    }

    /// The figures of the run at a time.
    private func state(at time: MonotonicTime) -> ProgressFrame.Total {
        var state = total
        state.bytes += active.payloadBytes
        rate.add(bytes: state.bytes, tasks: state.done, at: time)
        state.bytesPerSecond = rate.bytesPerSecond
        state.partsDone = active.fractions
        state.running = active.runningCount
        state.waiting = active.waitingCount
        state.awaitingBandwidth = active.awaitingBandwidthCount
        return state
    }

    private func redraw() {
        guard style == .bar else { return }
        let time = now()
        if let lastDrawing, time - lastDrawing < Self.minimumInterval { return }
        lastDrawing = time

        var state = state(at: time)
        state.secondsLeft = secondsLeft
        let traits = traits()
        let rows = active.rows(limit: ProgressFrame.mostRows(terminalRows: traits.rows), at: time)
        let frame = ProgressFrame(rows: rows, total: state, foreign: lines.foreign)
        replace(frame.lines(columns: traits.columns, rows: traits.rows))
    }

    /// Estimated by bytes if all remaining lengths are known, otherwise by tasks; nil without
    /// progress.
    private var secondsLeft: Int64? {
        let tasksLeft = total.tasks - total.done
        let estimate: Double
        if tasksLeft == active.runningCount, let bytesLeft = active.bytesLeft {
            estimate = bytesLeft / (rate.bytesPerSecond ?? 0)
        } else {
            estimate = Double(tasksLeft) / (rate.tasksPerSecond ?? 0)
        }
        // Excludes division by zero and endless waits.
        return estimate < Self.maximumSecondsLeft ? Int64(max(0, estimate.rounded(.up))) : nil
    }
}

/// The picture at the end of a terminal that each frame replaces.
///
/// Between two frames the cursor is at the start of the picture's first line. A terminal that
/// changes its width may break the picture's lines, but it keeps the cursor at its text: the
/// picture follows the cursor, however many rows it takes.
struct ProgressScreen: Sendable {
    /// Turn automatic line breaks off and on (DEC private mode 7, DECAWM).
    private static let (breaksOff, breaksOn) = ("\u{1B}[?7l", "\u{1B}[?7h")
    /// Erase to the end of the line and of the screen (ECMA-48 §8.3.41, §8.3.39).
    private static let (eraseLine, eraseScreen) = ("\u{1B}[K", "\u{1B}[J")
    /// Erases the line and all below it, from the line's second cell: a tmux that erases the screen
    /// from its first cell keeps the text in its history.
    private static let eraseFromLine = "\u{1B}[C\u{1B}[1K\u{1B}[J\r"

    private var hasPicture = false

    /// The bytes that put permanent `text` in the place of the picture, and a new one below it.
    ///
    /// - Parameters:
    ///   - picture: The lines of the new picture, each shorter than a line of the terminal.
    ///   - text: Complete lines.
    /// - Returns: The bytes, to be written at once.
    mutating func show(_ picture: [String], after text: String) -> [UInt8] {
        var output = hasPicture ? "\r" : ""
        // Otherwise the new lines replace the old ones without a moment in which they are missing.
        if hasPicture, !text.isEmpty || picture.isEmpty { output += Self.eraseFromLine }
        hasPicture = !picture.isEmpty
        output += text
        if hasPicture {
            output += Self.breaksOff
            output += picture.joined(separator: Self.eraseLine + "\n")
            output += Self.eraseScreen + Self.breaksOn
            // To the start of the line, so many lines up (ECMA-48 §8.3.35).
            output += picture.count > 1 ? "\u{1B}[\(picture.count - 1)F" : "\r"
        }
        return Array(output.utf8)
    }
}

/// The tasks that a stopping run ends: a few get a line, the others are counted.
struct StopTally: Sendable {
    /// The most tasks with a line.
    private static let mostLines = 3

    private var isStopping = false
    private var shown = 0
    /// The number of tasks without a line, by outcome.
    private(set) var unlisted: [TaskOutcome: Int] = [:]

    /// The run starts no more tasks.
    mutating func begin() { isStopping = true }

    /// Whether the end of a task gets a line; otherwise it is counted.
    mutating func lists(_ record: TaskRecord) -> Bool {
        guard isStopping, record.outcome.isOfStop else { return true }
        shown += 1
        if shown > Self.mostLines { unlisted[record.outcome, default: 0] += 1 }
        return shown <= Self.mostLines
    }
}

extension TaskOutcome {
    /// Whether a stopping run gives this outcome to tasks that it does not finish.
    fileprivate var isOfStop: Bool {
        switch self {
        case .cancelled, .deferred, .skipped: true
        case .succeeded, .unchanged, .failed: false
        }
    }
}
