internal import TransferModel

/// Another attempt of a task, or the failure for which it waits.
struct Retry: TaskMention {
    var id: String
    var attempt: Int
    var failure: TransferFailure
    /// Microseconds.
    var wait: Int64
}

/// A line of a program's error output.
struct ProgramLine: TaskMention {
    var id: String
    var text: String
}

/// The end of a run's starts.
struct Stop {
    var reason: String
    var running: Int
    var advice: String?
}

/// The end of a run.
struct RunEnd {
    var summary: RunSummary
    var reportPath: String?
}

/// The attempts of a run at a time.
struct RunState {
    /// The most attempts in one event.
    private static let mostTasks = 100

    var running: [TaskProgress]
    var endedCount: Int
    var taskCount: Int

    var shown: [TaskProgress] { Array(running.prefix(Self.mostTasks)) }
}

/// An event of a run as an object, whose first members are its name and its date.
protocol EventObject: ReportObject where Subject == Dated<Content> {
    associatedtype Content
    static var event: StaticString { get }
    /// Declares the members after the first ones.
    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable)
}

extension EventObject {
    static var name: String { event.description }

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        declareHead(in: &members)
        declareContent(in: &members)
    }

    fileprivate static func declareHead(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.constant("event", "The name of the event", event, of: [name])
        members.date("date", "When it happened, by the run's clock") { $0.date }
    }
}

/// A value that belongs to a task.
protocol TaskMention {
    var id: String { get }
}

extension TaskProgress: TaskMention {}
extension TaskRecord: TaskMention {}

/// An event of a task, whose id follows the first members.
protocol TaskEventObject: EventObject where Content: TaskMention {}

extension TaskEventObject {
    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        declareHead(in: &members)
        members.string("id", "The task's id in the job file") { $0.content.id }
        declareContent(in: &members)
    }
}

enum RunBegins: EventObject {
    typealias Content = RunHeader
    static let event: StaticString = "runStarted"
    static let description = "The first event: the run begins"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.integer(
            "formatVersion",
            "The version of the events' format",
            .exactly(EventSchema.formatVersion)
        ) { _ in EventSchema.formatVersion }
        members.object("job", "The job file", RunHeader.JobReport.self) { $0.content }
        members.string("runIdentifier", "The identifier of the run, unique for every run") {
            $0.content.runIdentifier
        }
        members.string("runnerVersion", "The version of the runner") { $0.content.runnerVersion }
        members.integer("taskCount", "The number of tasks") { Int64($0.content.taskCount) }
    }
}

enum TaskBegins: TaskEventObject {
    typealias Content = TaskProgress
    static let event: StaticString = "taskStarted"
    static let description = "A task begins its first attempt"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.choice("type", "The section of the task in the job file") { $0.content.kind }
    }
}

enum RunProgresses: EventObject {
    typealias Content = RunState
    static let event: StaticString = "progress"
    static let description = "How far the run is; about once a second while tasks run or wait"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.integer("taskCount", "The number of tasks") { Int64($0.content.taskCount) }
        members.integer("endedCount", "The number of tasks that have ended") {
            Int64($0.content.endedCount)
        }
        members.integer("runningCount", "The number of tasks with an attempt") {
            Int64($0.content.running.count)
        }
        members.array("running", "These tasks, at most 100", TaskProgress.Report.self) {
            $0.content.shown
        }
    }
}

extension TaskProgress {
    enum Report: ReportObject {
        typealias Subject = TaskProgress
        static let name = "taskProgress"
        static let description = "How far an attempt is"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("id", "The task's id in the job file") { $0.id }
            members.optionalChoice("phase", "The step of the exchange; null if unknown") {
                $0.phase
            }
            members.integer("countOfBytesSent", "Body bytes sent") { $0.countOfBytesSent }
            members.integer("countOfBytesReceived", "Body bytes received") {
                $0.countOfBytesReceived
            }
            members.optionalInteger(
                "countOfBytesExpected",
                "Bytes in the direction of the payload; null if unknown"
            ) { $0.countOfBytesExpected.map { max(0, $0) } }
            members.integer(
                "countOfBytesResumed",
                "Bytes from before the attempt, which the other counts do not include"
            ) { $0.countOfBytesResumed }
            members.bool("isAwaitingBandwidth", "Whether the session's bandwidth holds it up") {
                $0.isAwaitingBandwidth
            }
        }
    }
}

enum TaskRetries: TaskEventObject {
    typealias Content = Retry
    static let event: StaticString = "taskWillRetry"
    static let description = "An attempt failed, and another one follows"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.integer("attempt", "The failed attempt, from 1; 0 if it could not begin") {
            Int64($0.content.attempt)
        }
        members.object("error", "Why it failed", EventFailure.self) { $0.content.failure }
        members.integer("waitUs", "The wait before the next attempt, microseconds") {
            max(0, $0.content.wait)
        }
    }
}

enum TaskWaitsForWay: TaskEventObject {
    typealias Content = Retry
    static let event: StaticString = "taskWaiting"
    static let description = "A task waits for a permitted interface or for external power"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.object("error", "What is missing", EventFailure.self) { $0.content.failure }
    }
}

enum TaskWrites: TaskEventObject {
    typealias Content = ProgramLine
    static let event: StaticString = "taskWrote"
    static let description = "The program behind a task's body wrote a line to standard error"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.foreignText("line", "The line") { $0.content.text }
    }
}

enum TaskEnds: TaskEventObject {
    typealias Content = TaskRecord
    static let event: StaticString = "taskFinished"
    static let description = "A task has ended"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.choice("type", "The section of the task in the job file") { $0.content.kind }
        members.choice("outcome", "How the task ended") { $0.content.outcome }
        members.bool("required", "Whether a failure of the task fails the run") {
            $0.content.required
        }
        members.string("method", "The method of the last request") {
            $0.content.currentRequest.method
        }
        members.foreignText("url", "The URL of the last request") { $0.content.currentRequest.url }
        members.optionalInteger(
            "statusCode",
            "The status of the final response; null without one",
            .integer(0...999)
        ) { $0.content.response.map { Int64($0.statusCode) } }
        members.integer("attempts", "The number of attempts") { Int64($0.content.attemptCount) }
        members.integer("countOfBytesSent", "Body bytes sent") { $0.content.countOfBytesSent }
        members.integer("countOfBytesReceived", "Body bytes received") {
            $0.content.countOfBytesReceived
        }
        members.integer("durationUs", "From the task's beginning to its end, microseconds") {
            max(0, $0.content.endDate.microseconds(since: $0.content.startDate))
        }
        members.object("source", "The task's place in the job file", SourceLocation.Report.self) {
            $0.content.source
        }
        members.optionalObject(
            "error",
            "Why the task did not succeed; null if it did",
            EventFailure.self
        ) { $0.content.error }
        members.optionalObject(
            "cause",
            "The place of the key that decides about the error; null without one",
            SourceLocation.Report.self
        ) { $0.content.cause }
    }
}

enum EventFailure: ReportObject {
    typealias Subject = TransferFailure
    static let name = "error"
    static let description = "Why something did not succeed"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.choice("kind", "The class of the failure") { $0.kind }
        members.foreignText("message", "The failure in one sentence") { $0.detail }
        members.optionalForeignText("help", "Advice for the user") { $0.help }
    }
}

enum RunStops: EventObject {
    typealias Content = Stop
    static let event: StaticString = "stopping"
    static let description = "No more tasks start"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.foreignText("reason", "Why") { $0.content.reason }
        members.integer("running", "The number of tasks that continue or are being cancelled") {
            Int64($0.content.running)
        }
        members.optionalForeignText("advice", "What the user can do") { $0.content.advice }
    }
}

enum RunEnds: EventObject {
    typealias Content = RunEnd
    static let event: StaticString = "runFinished"
    static let description = "The last event: every task has ended"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.object("summary", "The sums over the tasks", RunSummary.Report.self) {
            $0.content.summary
        }
        members.optionalString("report", "The path of the report; null if it was not written") {
            $0.content.reportPath
        }
    }
}
