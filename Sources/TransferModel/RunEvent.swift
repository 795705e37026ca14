/// An event of a run; listeners get them in order: one `started`, then tasks, one `finished`.
///
/// Large values are indirect, so that passing an event on copies a reference.
package enum RunEvent: Sendable {
    indirect case started(RunHeader)
    /// A task was created and its first attempt is about to start.
    case taskStarted(TaskProgress)
    /// The state of the running transfers; sent a few times a second if a listener displays it.
    case progress([TaskProgress])
    /// An attempt failed and another one will follow.
    indirect case taskWillRetry(
        id: String,
        attempt: Int,
        failure: TransferFailure,
        waitMicroseconds: Int64
    )
    /// A task waits for a permitted interface or for external power; sent once for each task.
    indirect case taskWaiting(id: String, failure: TransferFailure)
    /// The program of a task's body wrote to standard error; pieces except the last of a program's
    /// run may end within a line.
    case taskWrote(id: String, bytes: [UInt8], isLast: Bool)
    indirect case taskFinished(TaskRecord)
    /// No more tasks start, for the reason given as a clause; `running` tasks continue or are being
    /// cancelled.
    case stopping(reason: String, running: Int)
    indirect case finished(RunSummary)
}

/// The progress of a running transfer.
package struct TaskProgress: Sendable, Hashable {
    package var id: String
    package var kind: TaskSpec.Kind
    package var countOfBytesSent: Int64 = 0
    package var countOfBytesReceived: Int64 = 0
    /// The bytes in the direction of the payload; nil if unknown.
    package var countOfBytesExpected: Int64?
    /// The file's bytes from before the attempt, not included in the other counts.
    package var countOfBytesResumed: Int64 = 0

    package init(id: String, kind: TaskSpec.Kind) {
        self.id = id
        self.kind = kind
    }
}

/// The properties of a run before its first task.
package struct RunHeader: Sendable, Hashable {
    /// The libraries of this process.
    package struct Engine: Sendable, Hashable {
        package var libcurl: String
        /// Such as `OpenSSL/3.0.19`; nil for a libcurl without TLS.
        package var tls: String?
        package var http2: Bool
        package var http3: Bool

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

    package var jobName: String
    package var jobFile: String
    /// The SHA-256 of the file in 64 hexadecimal digits; nil without libcrypto.
    package var jobSHA256: String?
    /// The start of the run's round of idempotency keys; nil when the run makes no keys.
    package var keyRoundBeginDate: Timestamp?
    package var runIdentifier: String
    package var startDate: Timestamp
    package var runnerVersion: String
    package var host: String
    /// nil for a run that could not begin.
    package var engine: Engine?
    package var clock: Clock
    /// The run's wait before its first request, microseconds: a random part of `startJitter`.
    package var startJitterMicroseconds: Int64 = 0
    /// The number of tasks in the report.
    package var taskCount: Int

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
    package var endDate: Timestamp
    package var tasks = 0
    package var succeeded = 0
    package var failed = 0
    package var deferred = 0
    package var cancelled = 0
    package var skipped = 0
    package var unchanged = 0
    package var attempts = 0
    package var redirects = 0
    package var cacheHits = 0
    package var countOfBytesSent: Int64 = 0
    package var countOfBytesReceived: Int64 = 0
    package var exitCode: ExitCode = .success

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
