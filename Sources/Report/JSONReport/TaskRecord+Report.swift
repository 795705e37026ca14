internal import TransferModel

extension TaskRecord {
    enum Report: ReportObject {
        typealias Subject = EndedTask
        static let name = "task"
        static let description = "One task of the job and how it ended"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            declareIdentity(in: &members)
            declareResult(in: &members)
            declareExchange(in: &members)
            declareMeasures(in: &members)
        }
    }

    private static func declareIdentity(
        in members: inout some ReportMembers<EndedTask> & ~Copyable
    ) {
        members.string("id", "The task's id in the job file") { $0.record.id }
        members.integer(
            "taskIdentifier",
            "The task's number in plan order, from 1",
            .integer(1...Int64.max)
        ) { Int64($0.record.taskIdentifier) }
        members.optionalString("taskDescription", "The job file's description") {
            $0.record.taskDescription
        }
        members.choice("type", "The section of the task in the job file") { $0.record.kind }
        members.string("session", "The name of the task's session") { $0.record.session }
        members.optionalString("sessionDescription", "The job file's description of the session") {
            $0.record.sessionDescription
        }
        members.number("priority", "The task's priority, from 0 to 1") { $0.record.priority }
        members.optionalDate(
            "earliestBeginDate",
            "The earliest start that the job file demands; null without one"
        ) { $0.record.earliestBeginDate }
        members.object(
            "source",
            "The place of the task in the job file",
            SourceLocation.Report.self
        ) {
            $0.record.source
        }
    }

    private static func declareResult(in members: inout some ReportMembers<EndedTask> & ~Copyable) {
        // A task is reported after its end, for which Apple has one state.
        members.constant(
            "state",
            "URLSessionTask.State; every task of a report has ended",
            "completed",
            of: ["completed"]
        )
        members.choice("outcome", "How the task ended") { $0.record.outcome }
        members.bool(
            "changed",
            "Whether the task changed anything, on this machine or at the server"
        ) {
            $0.record.changed
        }
        members.bool("required", "Whether a failure of the task fails the run") {
            $0.record.required
        }
        members.member(
            "checks",
            "The checks that ran, in order",
            .array(.object(Check.Report.schema))
        ) { $1.checks($0.record.checks) }
        members.optionalObject("error", "Why the task did not succeed", ReportedFailure.Report.self)
        {
            task in
            task.record.error.map {
                ReportedFailure(
                    failure: $0,
                    isRetryable: task.record.isRetryable,
                    source: task.record.cause
                )
            }
        }
    }

    private static func declareExchange(
        in members: inout some ReportMembers<EndedTask> & ~Copyable
    ) {
        members.object(
            "originalRequest",
            "The task's request",
            TransactionMetrics.SentRequest.Report.self
        ) { $0.record.originalRequest }
        members.object(
            "currentRequest",
            "The request after the last redirect",
            TransactionMetrics.SentRequest.Report.self
        ) { $0.record.currentRequest }
        members.optionalResponse("response", "The final response") {
            $0.record.response
        }
        members.optionalObject(
            "file",
            "The published file with the body; null when no file was published",
            PublishedFile.Report.self
        ) { $0.record.file }
        members.integer("countOfBytesSent", "Body bytes sent, all attempts together") {
            $0.record.countOfBytesSent
        }
        members.integer("countOfBytesReceived", "Body bytes received, all attempts together") {
            $0.record.countOfBytesReceived
        }
        members.optionalInteger("countOfBytesExpectedToSend", "The length of the request's body") {
            $0.record.countOfBytesExpectedToSend
        }
        members.optionalInteger(
            "countOfBytesExpectedToReceive",
            "The announced length of the response's body"
        ) { $0.record.countOfBytesExpectedToReceive }
        members.group("progress", "As URLSessionTask.progress", ProgressReport.self)
    }

    private enum ProgressReport: ReportObject {
        typealias Subject = EndedTask
        static let name = "progress"
        static let description =
            "How much of the bodies of its last attempt a task has moved, with a resumed part"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("completedUnitCount", "Body bytes sent and received") {
                $0.record.progress.completedUnitCount
            }
            members.optionalInteger(
                "totalUnitCount",
                "The length of both bodies; null when the peer has announced none"
            ) { $0.record.progress.totalUnitCount }
            members.optionalNumber(
                "fractionCompleted",
                "From 0 to 1; 1 for a success, null without totalUnitCount"
            ) { $0.record.progress.fractionCompleted }
        }
    }

    private static func declareMeasures(
        in members: inout some ReportMembers<EndedTask> & ~Copyable
    ) {
        members.array(
            "attempts",
            "All attempts; of more than 64 attempts, the first and the last 32",
            Attempt.Report.self
        ) { $0.record.attempts }
        members.group("metrics", "As URLSessionTaskMetrics", MetricsReport.self)
        members.group(
            "extension",
            "Members without a counterpart in URLSessionTask",
            ExtensionReport.self
        )
    }

    private enum MetricsReport: ReportObject {
        typealias Subject = EndedTask
        static let name = "metrics"
        static let description = "The measurements of a task, as URLSessionTaskMetrics"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.group("taskInterval", "From creation to end", IntervalReport.self)
            members.integer("redirectCount", "Followed redirects, all attempts together") {
                Int64($0.record.redirectCount)
            }
            members.array(
                "transactionMetrics",
                "The metrics of each exchange, in the order of fetchStartDate",
                TransactionMetrics.Report.self
            ) { $0.record.transactions }
        }
    }

    private enum IntervalReport: ReportObject {
        typealias Subject = EndedTask
        static let name = "interval"
        static let description = "A stretch of time"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.date("start", "Its beginning") { $0.record.startDate }
            members.date("end", "Its end") { $0.record.endDate }
            members.integer("durationUs", "The length in microseconds") {
                Swift.max(0, $0.record.endDate.microseconds(since: $0.record.startDate))
            }
        }
    }

    private enum ExtensionReport: ReportObject {
        typealias Subject = EndedTask
        static let name = "taskExtension"
        static let description = "Members without a counterpart in URLSessionTask"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.optionalChoice("vouchedBy", "The evidence that the body is complete") {
                $0.record.voucher
            }
            members.optionalObject(
                "cache",
                "The cache's role in the final response; null without a cache",
                CacheVerdict.Report.self
            ) { $0.record.cache }
            members.array(
                "captures",
                "The captures of the task, without their values",
                TaskRecord.Capture.Report.self
            ) { $0.record.captures }
            members.integer(
                "omittedAttempts",
                "Attempts between the first and the last 32, which attempts and transactionMetrics omit"
            ) { Int64($0.record.omittedAttempts) }
            members.optionalInteger(
                "heldUs",
                "The wait for an interface or for power, microseconds; null without a wait"
            ) { $0.record.heldMicroseconds }
            members.optionalObject(
                "earlier",
                "The work of earlier runs of a background session on the task; null without any",
                TaskRecord.Earlier.Report.self
            ) { $0.record.earlier }
            members.optionalBool(
                "isKeyReused",
                "Whether an earlier run began the order with the same idempotency key; null when runner made no key"
            ) { $0.record.isKeyReused }
            members.optionalString(
                "partRefusal",
                "Why the server was of no use for parts, so that one connection fetched the file; null unless segments asked for some in vain"
            ) { $0.record.partRefusal }
            members.optionalObject(
                "webSocket",
                "The conversation of the last attempt of a WebSocket task; null without one",
                WebSocketRecord.Report.self
            ) { $0.record.conversation?.webSocket }
            members.optionalObject(
                "stream",
                "The conversation of the last attempt of a stream task; null without one",
                StreamRecord.Report.self
            ) { $0.record.conversation?.stream }
        }
    }
}

extension CacheVerdict {
    enum Report: ReportObject {
        typealias Subject = CacheVerdict
        static let name = "cache"
        static let description = "The cache's role in a response, and the reason"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.choice("verdict", "Whether the response came from the cache") { $0.outcome }
            members.choice("reason", "Why so") { $0.reason }
            members.optionalChoice(
                "storing",
                "What the cache did with a response from the network, or why it did not store it"
            ) { $0.storing }
        }
    }
}

extension TaskRecord.Check {
    enum Report: ReportObject {
        typealias Subject = TaskRecord.Check
        static let name = "check"
        static let description = "One check of the result"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.choice("check", "The checked property") { $0.check }
            members.bool("passed", "Whether the check passed") { $0.passed }
            members.optionalString("expected", "The expected value") { $0.expected }
            members.optionalForeignText("actual", "The actual value") { $0.actual }
        }
    }
}

extension TaskRecord.Attempt {
    enum Report: ReportObject {
        typealias Subject = TaskRecord.Attempt
        static let name = "attempt"
        static let description = "One attempt of a task"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("number", "From 1", .integer(1...Int64.max)) { Int64($0.number) }
            members.date("startDate", "Its beginning") { $0.startDate }
            members.date("endDate", "Its end") { $0.endDate }
            members.choice("outcome", "The outcome of the attempt") { $0.outcome }
            members.optionalForeignText("reason", "The cause of its failure") { $0.reason }
            members.integer("waitedUs", "The wait before the attempt, microseconds") {
                $0.waitedMicroseconds
            }
            members.optionalChoice("waitReason", "The reason of the wait") { $0.waitReason }
            members.optionalInteger(
                "resumedFrom",
                "The offset of the first received byte of the body; null for offset 0"
            ) { $0.resumedFrom }
            members.integer(
                "omittedExchanges",
                "Its exchanges between the first and the last 32, which transactionMetrics omits"
            ) { Int64($0.omittedExchanges) }
        }
    }
}

extension TaskRecord.Earlier {
    enum Report: ReportObject {
        typealias Subject = TaskRecord.Earlier
        static let name = "earlier"
        static let description = "The work of earlier runs of a background session on a task"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("attempts", "The number of attempts in earlier runs") {
                Int64($0.attempts)
            }
            members.optionalString("run", "The run that ended the task; null for this run") {
                $0.end?.runIdentifier
            }
            members.optionalDate(
                "endDate",
                "The time when that run ended the task; null for this run"
            ) {
                $0.end?.date
            }
        }
    }
}

extension TaskRecord.Capture {
    enum Report: ReportObject {
        typealias Subject = TaskRecord.Capture
        static let name = "capture"
        static let description =
            "A captured value without the value itself, which may be a secret"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("name", "The capture's name in the job file") { $0.name }
            members.integer("size", "The length in bytes") { Int64($0.size) }
        }
    }
}

extension PublishedFile {
    enum Report: ReportObject {
        typealias Subject = PublishedFile
        static let name = "file"
        static let description = "A published file with a body"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("path", "The path as in the job file") { $0.path }
            members.integer("size", "The length in bytes") { $0.size }
            members.optionalOwnText("sha256", "The SHA-256, if it was computed", .sha256) {
                $0.sha256
            }
            members.optionalInteger(
                "resumedFrom",
                "The offset of the first byte that the last attempt received; null for offset 0"
            ) { $0.resumedFrom }
            members.optionalObject(
                "extraction",
                "The extracted archive; null without `extract` and for an earlier run's end",
                ExtractedArchive.Report.self
            ) { $0.extraction }
        }
    }
}

extension ExtractedArchive {
    enum Report: ReportObject {
        typealias Subject = ExtractedArchive
        static let name = "extraction"
        static let description = "The folder with the content of an archive"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("path", "The path as in the job file") { $0.path }
            members.integer("entries", "The number of entries of the archive") {
                Int64($0.entries)
            }
            members.integer("size", "The length of all its files in bytes") { $0.size }
        }
    }
}

extension SourceLocation {
    enum Report: ReportObject {
        typealias Subject = SourceLocation
        static let name = "source"
        static let description = "A place in a job file"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("file", "The path of the file as it was given") { $0.file }
            members.integer("line", "From 1", .integer(1...Int64.max)) { Int64($0.line) }
            members.integer("column", "From 1, in Unicode scalars", .integer(1...Int64.max)) {
                Int64($0.column)
            }
        }
    }
}

extension TaskRecord {
    /// A task that succeeded in its first attempt, in a report with the detail `failures`.
    ///
    /// It has the members that other commands need, and no text of a server. A million lines are to
    /// take less than 250 MB.
    enum Line: ReportObject {
        typealias Subject = EndedTask
        static let name = "taskLine"
        static let description =
            "One task that succeeded with its first attempt, in a report with the detail `failures`"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("id", "The task's id in the job file") { $0.record.id }
            members.choice("type", "The section of the task in the job file") { $0.record.kind }
            members.integer("line", "The task's line in its file", .integer(1...Int64.max)) {
                Int64($0.record.source.line)
            }
            members.optionalString(
                "include",
                "The included file of that line; null when the job file has it"
            ) { $0.record.source.isIncluded ? $0.record.source.file : nil }
            members.choice("outcome", "How the task ended") { $0.record.outcome }
            members.optionalInteger(
                "statusCode",
                "The status of the final response; null without one",
                .integer(0...999)
            ) { $0.record.response.map { Int64($0.statusCode) } }
            members.integer("attempts", "The number of attempts") { Int64($0.record.attemptCount) }
            members.date("startDate", "The task's creation") { $0.record.startDate }
            members.integer("durationUs", "From the task's creation to its end, microseconds") {
                max(0, $0.record.endDate.microseconds(since: $0.record.startDate))
            }
            members.integer("countOfBytesSent", "Body bytes sent") { $0.record.countOfBytesSent }
            members.integer("countOfBytesReceived", "Body bytes received") {
                $0.record.countOfBytesReceived
            }
            members.optionalObject(
                "file",
                "The published file; null when no file was published",
                FileLine.self
            ) { $0.record.file }
        }
    }

    /// A published file in a task's line.
    private enum FileLine: ReportObject {
        typealias Subject = PublishedFile
        static let name = "fileLine"
        static let description = "The size and the checksum of a published file"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("size", "The length in bytes") { $0.size }
            members.optionalOwnText("sha256", "The SHA-256, if it was computed", .sha256) {
                $0.sha256
            }
        }
    }
}

/// A task's failure, whether a later run may succeed, and the place of the key that decides.
struct ReportedFailure {
    var failure: TransferFailure
    var isRetryable: Bool
    var source: SourceLocation?

    enum Report: ReportObject {
        typealias Subject = ReportedFailure
        static let name = "error"
        static let description = "Why the task did not succeed"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.choice("kind", "The class of the failure") { $0.failure.kind }
            members.foreignText("message", "The failure in one sentence") { $0.failure.detail }
            members.optionalChoice(
                "networkUnavailableReason",
                "The reason why the interface that leads to the server is forbidden; null for other failures, and without such an interface"
            ) { $0.failure.unavailableReason }
            members.optionalObject(
                "urlError",
                "The closest code of Apple's NSURLErrorDomain",
                TransferFailure.URLErrorCode.Report.self
            ) { $0.failure.urlError }
            members.optionalInteger("curlCode", "The CURLcode when libcurl reported it") {
                $0.failure.curlCode.map(Int64.init)
            }
            members.optionalInteger("osErrno", "The errno of the failed system call") {
                $0.failure.osErrno.map(Int64.init)
            }
            members.choice("phase", "The phase of the exchange in which the failure happened") {
                $0.failure.phase
            }
            members.bool("retryable", "Whether a later run may succeed") { $0.isRetryable }
            members.optionalForeignText("help", "Advice for the user") { $0.failure.help }
            members.optionalObject(
                "source",
                "The place of the key in the job file that decides about the failure; null without one",
                SourceLocation.Report.self
            ) { $0.source }
        }
    }
}

extension TransferFailure.URLErrorCode {
    enum Report: ReportObject {
        typealias Subject = TransferFailure.URLErrorCode
        static let name = "urlError"
        static let description = "A code of Apple's NSURLErrorDomain"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("code", "The number", .integer(Int64.min...0)) { Int64($0.code) }
            members.string("name", "The name of URLError.Code") { $0.name }
        }
    }
}
