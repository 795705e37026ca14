internal import JSON
internal import SystemKit
package import TransferModel

/// Writes the events of a run as JSON, one in each line, while it runs.
///
/// `EventSchema` describes the lines; texts in them have no secrets.
package final class EventLines: ProgressListener {
    /// The shortest time between two `progress` events.
    private static let minimumInterval = Duration.seconds(1)

    private let redactor: Redactor?
    private let reportPath: () -> String?
    private let now: () -> MonotonicTime
    private let write: ([UInt8]) -> Void
    private var writer = ReportWriter()
    private var clock: RunClock?
    private var taskCount = 0
    private var endedCount = 0
    private var lastProgress: MonotonicTime?
    private var programs: ProgramOutput

    /// Lines for `write`; `redactor` finds the secrets of the run, and `reportPath` is asked at the
    /// end, when the report exists or not.
    package init(
        redactor: Redactor? = nil,
        reportPath: @autoclosure @escaping () -> String? = nil,
        now: @escaping () -> MonotonicTime = {
            MonotonicTime(nanoseconds: Clock.monotonicNanoseconds())
        },
        write: @escaping ([UInt8]) -> Void = StatusStream().write
    ) {
        self.redactor = redactor
        self.reportPath = reportPath
        self.now = now
        self.write = write
        programs = ProgramOutput(redactor: redactor)
    }

    /// One second.
    package var progressInterval: Duration? { Self.minimumInterval }

    /// Writes the event's line.
    package func receive(_ event: RunEvent) {
        switch event {
        case .started(let header): begin(header)
        case .taskStarted(let task): say(TaskBegins.self, Dated(date, task))
        case .progress(let tasks): progress(tasks)
        case .taskWillRetry(let id, let attempt, let failure, let wait, _, _):
            let retry = Retry(id: id, attempt: attempt, failure: failure, wait: wait)
            say(TaskRetries.self, Dated(date, retry))
        case .taskWaiting(let id, let failure):
            let retry = Retry(id: id, attempt: 0, failure: failure, wait: 0)
            say(TaskWaitsForWay.self, Dated(date, retry))
        case .taskWrote(let id, let bytes, let isLast):
            for line in programs.take(bytes, of: id, isLast: isLast) {
                say(TaskWrites.self, Dated(date, ProgramLine(id: id, text: line)))
            }
        case .taskFinished(let task):
            endedCount += 1
            say(TaskEnds.self, Dated(date, task.record))
        case .stopping(let reason, let running, let advice):
            let stop = Stop(reason: reason, running: running, advice: advice)
            say(RunStops.self, Dated(date, stop))
        case .finished(let summary):
            say(RunEnds.self, Dated(date, RunEnd(summary: summary, reportPath: reportPath())))
        }
    }

    private var date: Timestamp {
        clock?.timestamp(of: now()) ?? Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
    }

    private func begin(_ header: RunHeader) {
        taskCount = header.taskCount
        clock = RunClock(
            wall: header.clock.wall,
            monotonic: MonotonicTime(nanoseconds: header.clock.monotonicMicroseconds * 1000),
            maximumSkewMicroseconds: header.clock.maximumSkewMicroseconds
        )
        say(RunBegins.self, Dated(date, header))
    }

    /// A time limit of its own: results of several engine threads may come apart.
    private func progress(_ tasks: [TaskProgress]) {
        let time = now()
        if let lastProgress, time - lastProgress < Self.minimumInterval / 2 { return }
        lastProgress = time
        let state = RunState(running: tasks, endedCount: endedCount, taskCount: taskCount)
        say(RunProgresses.self, Dated(date, state))
    }

    private func say<Object: ReportObject>(_ object: Object.Type, _ subject: Object.Subject) {
        writer.object(object, subject, hiding: redactor)
        writer.json.newline()
        let bytes = writer.json.bytes
        writer.json.reset()
        write(TerminalText.harmlessJSON(bytes.span) ?? bytes)
    }
}

/// An event's content and its date.
struct Dated<Content> {
    var date: Timestamp
    var content: Content

    init(_ date: Timestamp, _ content: Content) {
        self.date = date
        self.content = content
    }
}

/// The JSON Schema (draft-07) of a line of `EventLines`, made from the declarations that write it.
package enum EventSchema {
    /// The version of the events' format.
    static let formatVersion: Int64 = 1

    /// The events in the order of a run.
    private static let events: [ObjectSchema] = [
        RunBegins.schema, TaskBegins.schema, RunProgresses.schema, TaskRetries.schema,
        TaskWaitsForWay.schema, TaskWrites.schema, TaskEnds.schema, RunStops.schema,
        RunEnds.schema,
    ]

    /// The schema of `--progress json` as indented JSON with a final line feed.
    package static var text: String {
        document(title: "runner event", "An event of a run, a line of `--progress json`", events)
    }

    /// The schema of lines that are one of `events`, as indented JSON with a final line feed.
    static func document(title: String, _ description: String, _ events: [ObjectSchema]) -> String {
        JSONWriter.schema(title) { writer in
            writer.member("description", "\(description), format version \(formatVersion)")
            writer.array("oneOf") { writer in
                for event in events { writer.object { $0.member("$ref", event.reference) } }
            }
            ReportSchema.writeDefinitions(ReportSchema.definitions(of: events), to: &writer)
        }
    }
}
