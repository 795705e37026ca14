/// An event of a run; listeners get them in order: one `started`, then tasks, one `finished`.
///
/// Large values are indirect, so that passing an event on copies a reference.
package enum RunEvent: Sendable {
    indirect case started(RunHeader)
    /// A task was created and its first attempt is about to start.
    case taskStarted(TaskProgress)
    /// The state of the running transfers; sent a few times a second if a listener displays it.
    case progress([TaskProgress])
    /// An attempt failed and another one will follow; `exchanges` are those of the failed one.
    indirect case taskWillRetry(
        id: String,
        attempt: Int,
        failure: TransferFailure,
        waitMicroseconds: Int64,
        kind: TaskSpec.Kind = .data,
        exchanges: [TransactionMetrics] = []
    )
    /// A task waits for a permitted interface or for external power; sent once for each task.
    indirect case taskWaiting(id: String, failure: TransferFailure)
    /// The program of a task's body wrote to standard error; pieces except the last of a program's
    /// run may end within a line.
    case taskWrote(id: String, bytes: [UInt8], isLast: Bool)
    case taskFinished(EndedTask)
    /// No more tasks start, for the reason given as a clause; `running` tasks continue or are being
    /// cancelled. `advice` says what else the user can do.
    case stopping(reason: String, running: Int, advice: String?)
    indirect case finished(RunSummary)

    /// The end of a task with that record.
    package static func taskFinished(_ record: consuming TaskRecord) -> RunEvent {
        .taskFinished(EndedTask(record))
    }
}

/// The record of a task that has ended, on its way to the sinks that show and keep it.
///
/// An object, because a record is large and passed on often.
package final class EndedTask: Sendable {
    /// The data about the task.
    package let record: TaskRecord

    /// Creates the end of a task from its record.
    package init(_ record: consuming TaskRecord) { self.record = record }
}

/// The progress of a running transfer.
package struct TaskProgress: Sendable, Hashable {
    /// The task's id in the job file.
    package var id: String
    /// The kind of the task, which decides whether its payload is sent or received.
    package var kind: TaskSpec.Kind
    /// The body bytes sent by the attempt so far.
    package var countOfBytesSent: Int64 = 0
    /// The body bytes received by the attempt so far.
    package var countOfBytesReceived: Int64 = 0
    /// The bytes in the direction of the payload; nil if unknown.
    package var countOfBytesExpected: Int64?
    /// The file's bytes from before the attempt, not included in the other counts.
    package var countOfBytesResumed: Int64 = 0
    /// Whether the session's bandwidth makes the attempt wait.
    package var isAwaitingBandwidth = false
    /// The step of the exchange that the attempt is at; nil if unknown.
    package var phase: TransferFailure.Phase?

    /// Creates the progress of a transfer that has not moved a byte.
    package init(id: String, kind: TaskSpec.Kind) {
        self.id = id
        self.kind = kind
    }
}

/// The properties of a run before its first task.
package struct RunHeader: Sendable, Hashable {
    /// The libraries of this process.
    package struct Engine: Sendable, Hashable {
        /// The version of libcurl, such as `8.14.1`.
        package var libcurl: String
        /// Such as `OpenSSL/3.0.19`; nil for a libcurl without TLS.
        package var tls: String?
        /// Whether libcurl speaks HTTP/2.
        package var http2: Bool
        /// Whether libcurl speaks HTTP/3.
        package var http3: Bool

        /// Creates a description of the libraries.
        package init(libcurl: String, tls: String?, http2: Bool, http3: Bool) {
            self.libcurl = libcurl
            self.tls = tls
            self.http2 = http2
            self.http3 = http3
        }
    }

    /// The conversion of monotonic readings to dates.
    package struct Clock: Sendable, Hashable {
        /// The wall clock at the run's start; all dates are this plus monotonic time.
        package var wall: Timestamp
        /// The monotonic reading at the time of `wall`, microseconds.
        package var monotonicMicroseconds: Int64
        /// The longest time between the two readings, microseconds.
        package var maximumSkewMicroseconds: Int64

        /// Creates a conversion from two readings that were taken together.
        package init(
            wall: Timestamp,
            monotonicMicroseconds: Int64,
            maximumSkewMicroseconds: Int64
        ) {
            self.wall = wall
            self.monotonicMicroseconds = monotonicMicroseconds
            self.maximumSkewMicroseconds = maximumSkewMicroseconds
        }
    }

    /// How the command line chooses among the tasks of a job.
    package enum Selection: String, Sendable, Hashable, CaseIterable {
        /// By ids: `--only`.
        case only
        /// By the report of an earlier run: `--rerun-failed`.
        case rerunFailed
    }

    /// The job's name; without one, the stem of its file's name.
    package var jobName: String
    /// The job file as named on the command line.
    package var jobFile: String
    /// The SHA-256 of the file in 64 hexadecimal digits; nil without libcrypto.
    package var jobSHA256: String?
    /// The start of the run's round of idempotency keys; nil when the run makes no keys.
    package var keyRoundBeginDate: Timestamp?
    /// The identifier of this run, unique among all runs.
    package var runIdentifier: String
    /// When the run began, by the wall clock.
    package var startDate: Timestamp
    /// The version of the runner.
    package var runnerVersion: String
    /// The name of the machine.
    package var host: String
    /// The part of the job that the run does; nil for the whole job.
    package var shard: Shard?
    /// How tasks of the job or of its shard were chosen; nil when the run has all of them.
    package var selection: Selection?
    /// nil for a run that could not begin.
    package var engine: Engine?
    /// The conversion by which all dates of the run were made.
    package var clock: Clock
    /// The run's wait before its first request, microseconds: a random part of `startJitter`.
    package var startJitterMicroseconds: Int64 = 0
    /// The number of tasks in the report.
    package var taskCount: Int

    /// Creates a header without a round of keys and without a wait before the first request.
    package init(
        jobName: String,
        jobFile: String,
        jobSHA256: String?,
        runIdentifier: String,
        startDate: Timestamp,
        runnerVersion: String,
        host: String,
        engine: Engine?,
        clock: Clock,
        taskCount: Int
    ) {
        self.jobName = jobName
        self.jobFile = jobFile
        self.jobSHA256 = jobSHA256
        self.runIdentifier = runIdentifier
        self.startDate = startDate
        self.runnerVersion = runnerVersion
        self.host = host
        self.engine = engine
        self.clock = clock
        self.taskCount = taskCount
    }
}

/// The totals of a run's tasks.
package struct RunSummary: Sendable, Hashable {
    /// When the run ended, by the run's clock.
    package var endDate: Timestamp
    /// The number of tasks that ended; the six outcomes below add up to it.
    package var tasks = 0
    /// The number of tasks that succeeded.
    package var succeeded = 0
    /// Of these, the number of tasks with a stored response that their server has not confirmed.
    package var cached = 0
    /// The number of tasks that failed for good.
    package var failed = 0
    /// The number of tasks that could not start or continue now.
    package var deferred = 0
    /// The number of tasks that were cancelled.
    package var cancelled = 0
    /// The number of tasks that did not run because a task that they need did not succeed.
    package var skipped = 0
    /// The number of tasks whose destination existed and was kept.
    package var unchanged = 0
    /// The number of attempts of all tasks in this run.
    package var attempts = 0
    /// The number of redirects that were followed, in all attempts.
    package var redirects = 0
    /// The number of exchanges answered by the cache without the network.
    package var cacheHits = 0
    /// The body bytes sent by all tasks.
    package var countOfBytesSent: Int64 = 0
    /// The body bytes received by all tasks.
    package var countOfBytesReceived: Int64 = 0
    /// The exit code of the process: that of a signal, otherwise the worst of the required tasks.
    package var exitCode: ExitCode = .success

    /// Creates the totals of a run without tasks.
    package init(endDate: Timestamp) {
        self.endDate = endDate
    }
}

/// The process's exit codes; the numbers never change.
package enum ExitCode: Int32, Sendable, Hashable, CaseIterable {
    case success = 0
    /// A required task failed permanently.
    case taskFailed = 1
    case usage = 2
    case invalidJobFile = 3
    /// A missing variable, secret or file, a permission, or a full disk.
    case environment = 4
    /// Only failures that a later run may not have.
    case temporary = 5
    /// A checksum, a digest or a validator did not match.
    case integrity = 6
    case deferred = 7
    case deadline = 8
    case locked = 10
    case fault = 70
    case interrupted = 130
    case terminated = 143
}

extension ExitCode {
    /// The codes that a run's end can ask for, the strongest first: a signal's, then the codes of
    /// tasks.
    private static let precedence: [ExitCode] = [
        .interrupted, .terminated, .integrity, .environment, .taskFailed, .deadline, .deferred,
        .temporary,
    ]

    /// The code of a run that ends with two codes.
    package func combined(with other: ExitCode) -> ExitCode {
        Self.precedence.first { $0 == self || $0 == other } ?? .success
    }
}

/// A listener to a run's events, such as a report or a progress display.
///
/// Called on the scheduler's thread only, one event at a time, in order.
package protocol RunEventSink: AnyObject {
    func receive(_ event: RunEvent)
}
