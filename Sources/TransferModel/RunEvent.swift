/// What a run tells its listeners, in order: one `started`, then tasks, then one `finished`.
///
/// Large values are indirect, so that an event is handed on by its reference.
package enum RunEvent: Sendable {
    indirect case started(RunHeader)
    /// A task was created and its first attempt is about to start.
    case taskStarted(TaskProgress)
    /// Where the running transfers stand; sent a few times a second, and only when somebody
    /// watches.
    case progress([TaskProgress])
    /// An attempt failed and another one will follow.
    indirect case taskWillRetry(
        id: String,
        attempt: Int,
        failure: TransferFailure,
        waitMicroseconds: Int64
    )
    /// A task waits for an interface that it may use, or for external power; told once for each
    /// task.
    indirect case taskWaiting(id: String, failure: TransferFailure)
    /// The program behind a task's body has written to its standard error; the bytes may end within
    /// a line, but for the last ones of a run of the program.
    case taskWrote(id: String, bytes: [UInt8], isLast: Bool)
    indirect case taskFinished(TaskRecord)
    /// Nothing more is started, for the reason given as half a sentence; `running` tasks go on or
    /// are being cancelled.
    case stopping(reason: String, running: Int)
    indirect case finished(RunSummary)
}

/// Where a running transfer stands.
package struct TaskProgress: Sendable, Hashable {
    package var id: String
    package var kind: TaskSpec.Kind
    package var countOfBytesSent: Int64 = 0
    package var countOfBytesReceived: Int64 = 0
    /// Of the direction that carries the payload; nil when the length is not known.
    package var countOfBytesExpected: Int64?
    /// What was there of a file before the attempt, which is no part of the other counts.
    package var countOfBytesResumed: Int64 = 0

    package init(id: String, kind: TaskSpec.Kind) {
        self.id = id
        self.kind = kind
    }
}

/// What is known of a run before its first task.
package struct RunHeader: Sendable, Hashable {
    /// What this process transfers with.
    package struct Engine: Sendable, Hashable {
        package var libcurl: String
        /// Such as `OpenSSL/3.0.19`; nil when libcurl has no TLS.
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

    /// How monotonic readings were turned into dates.
    package struct Clock: Sendable, Hashable {
        /// The wall clock at the run's start; every date is this plus monotonic time.
        package var wall: Timestamp
        /// The monotonic reading that belongs to `wall`, microseconds.
        package var monotonicMicroseconds: Int64
        /// How far the two readings may lie apart, microseconds.
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
    /// 64 hexadecimal digits over the file's bytes; nil without libcrypto.
    package var jobSHA256: String?
    /// When the round of idempotency keys began that the run belongs to; nil when it makes none.
    package var keyRoundBeginDate: Timestamp?
    package var runIdentifier: String
    package var startDate: Timestamp
    package var runnerVersion: String
    package var host: String
    /// nil when the run could not begin.
    package var engine: Engine?
    package var clock: Clock
    /// How long the run was to wait before anything is sent, microseconds: a random part of
    /// `startJitter`.
    package var startJitterMicroseconds: Int64 = 0
    /// How many tasks the run will report.
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

/// The sums over a run's tasks.
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

/// The process's exit codes; never renumbered.
package enum ExitCode: Int32, Sendable, Hashable, CaseIterable {
    case success = 0
    /// A required task failed for good.
    case taskFailed = 1
    case usage = 2
    case invalidJobFile = 3
    /// A missing variable, secret or file, a permission, a full disk.
    case environment = 4
    /// Only failures that a later run may not meet.
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
