internal import TransferModel

extension TaskRecord {
    enum Report: ReportObject {
        typealias Subject = TaskRecord
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
        in members: inout some ReportMembers<TaskRecord> & ~Copyable
    ) {
        members.string("id", "The task's id in the job file") { $0.id }
        members.integer(
            "taskIdentifier",
            "The task's number in plan order, from 1",
            .integer(1...Int64.max)
        ) { Int64($0.taskIdentifier) }
        members.optionalString("taskDescription", "The job file's description") {
            $0.taskDescription
        }
        members.choice("type", "The section that the task stands in") { $0.kind }
        members.string("session", "The name of the task's session") { $0.session }
        members.object("source", "Where the job file declares the task", SourceLocation.Report.self)
        {
            $0.source
        }
    }

    private static func declareResult(in members: inout some ReportMembers<TaskRecord> & ~Copyable)
    {
        // A task is reported after its end, for which Apple has one state.
        members.constant("state", "URLSessionTask.State", "completed", of: ["completed"])
        members.choice("outcome", "How the task ended") { $0.outcome }
        members.bool("changed", "Whether the task changed anything, here or at the server") {
            $0.changed
        }
        members.bool("required", "Whether the run fails when the task does") { $0.required }
        members.array("checks", "The checks that ran, in order", Check.Report.self) { $0.checks }
        members.optionalObject("error", "Why the task did not succeed", ReportedFailure.Report.self)
        {
            record in
            record.error.map {
                ReportedFailure(failure: $0, isRetryable: record.isRetryable)
            }
        }
    }

    private static func declareExchange(
        in members: inout some ReportMembers<TaskRecord> & ~Copyable
    ) {
        members.object(
            "originalRequest",
            "The task's request",
            TransactionMetrics.SentRequest.Report.self
        ) { $0.originalRequest }
        members.object(
            "currentRequest",
            "The request after the last redirect",
            TransactionMetrics.SentRequest.Report.self
        ) { $0.currentRequest }
        members.optionalResponse("response", "The final response") {
            $0.response
        }
        members.optionalObject(
            "file",
            "The file that the body became; null when none was published",
            PublishedFile.Report.self
        ) { $0.file }
        members.integer("countOfBytesSent", "Body bytes sent, all attempts together") {
            $0.countOfBytesSent
        }
        members.integer("countOfBytesReceived", "Body bytes received, all attempts together") {
            $0.countOfBytesReceived
        }
        members.optionalInteger("countOfBytesExpectedToSend", "The length of the request's body") {
            $0.countOfBytesExpectedToSend
        }
        members.optionalInteger(
            "countOfBytesExpectedToReceive",
            "The announced length of the response's body"
        ) { $0.countOfBytesExpectedToReceive }
    }

    private static func declareMeasures(
        in members: inout some ReportMembers<TaskRecord> & ~Copyable
    ) {
        members.array(
            "attempts",
            "Every try, of more than 64 the first and the last 32",
            Attempt.Report.self
        ) { $0.attempts }
        members.group("metrics", "As URLSessionTaskMetrics", MetricsReport.self)
        members.group("extension", "What Apple's tasks do not have", ExtensionReport.self)
    }

    private enum MetricsReport: ReportObject {
        typealias Subject = TaskRecord
        static let name = "metrics"
        static let description = "The measurements of a task, as URLSessionTaskMetrics"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.group("taskInterval", "From creation to end", IntervalReport.self)
            members.integer("redirectCount", "Redirects that were followed, all attempts together")
            {
                Int64($0.redirectCount)
            }
            members.array(
                "transactionMetrics",
                "One for each exchange, in the order of fetchStartDate",
                TransactionMetrics.Report.self
            ) { $0.transactions }
        }
    }

    private enum IntervalReport: ReportObject {
        typealias Subject = TaskRecord
        static let name = "interval"
        static let description = "A stretch of time"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.date("start", "Its beginning") { $0.startDate }
            members.date("end", "Its end") { $0.endDate }
            members.integer("durationUs", "Its length in microseconds") {
                Swift.max(0, $0.endDate.microseconds(since: $0.startDate))
            }
        }
    }

    private enum ExtensionReport: ReportObject {
        typealias Subject = TaskRecord
        static let name = "taskExtension"
        static let description = "What Apple's tasks do not have"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.optionalChoice("vouchedBy", "What says that the body is complete") {
                $0.voucher
            }
            members.optionalObject(
                "cache",
                "What the cache had to do with the final response; null without a cache",
                CacheVerdict.Report.self
            ) { $0.cache }
            members.array(
                "captures",
                "What the task has captured for others, without the values",
                TaskRecord.Capture.Report.self
            ) { $0.captures }
            members.integer(
                "omittedAttempts",
                "How many tries, between the first and the last 32, are not in attempts, nor in transactionMetrics"
            ) { Int64($0.omittedAttempts) }
            members.optionalInteger(
                "heldUs",
                "How long it waited for an interface or for power, microseconds; null when it did not"
            ) { $0.heldMicroseconds }
            members.optionalObject(
                "earlier",
                "What earlier runs of a background session did for it; null when there was nothing",
                TaskRecord.Earlier.Report.self
            ) { $0.earlier }
            members.optionalBool(
                "isKeyReused",
                "Whether an earlier run has begun the order under the same idempotency key; null when none was made for it"
            ) { $0.isKeyReused }
        }
    }
}

extension CacheVerdict {
    enum Report: ReportObject {
        typealias Subject = CacheVerdict
        static let name = "cache"
        static let description = "What the cache had to do with a response, and why"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.choice("verdict", "Whether the response came from the cache") { $0.outcome }
            members.choice("reason", "Why so") { $0.reason }
            members.optionalChoice(
                "storing",
                "What became of a response from the network, or why it was not stored"
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
            members.choice("check", "What was checked") { $0.check }
            members.bool("passed", "Whether it held") { $0.passed }
            members.optionalString("expected", "What was expected") { $0.expected }
            members.optionalForeignText("actual", "What was found") { $0.actual }
        }
    }
}

extension TaskRecord.Attempt {
    enum Report: ReportObject {
        typealias Subject = TaskRecord.Attempt
        static let name = "attempt"
        static let description = "One try of a task"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("number", "From 1", .integer(1...Int64.max)) { Int64($0.number) }
            members.date("startDate", "Its beginning") { $0.startDate }
            members.date("endDate", "Its end") { $0.endDate }
            members.choice("outcome", "How it ended") { $0.outcome }
            members.optionalForeignText("reason", "What made it fail") { $0.reason }
            members.integer("waitedUs", "The wait before it, microseconds") {
                $0.waitedMicroseconds
            }
            members.optionalChoice("waitReason", "Why it waited") { $0.waitReason }
            members.optionalInteger(
                "resumedFrom",
                "The position from which on the body was received; null when it was the first byte"
            ) { $0.resumedFrom }
            members.integer(
                "omittedExchanges",
                "How many of its exchanges, between the first and the last 32, are not in transactionMetrics"
            ) { Int64($0.omittedExchanges) }
        }
    }
}

extension TaskRecord.Earlier {
    enum Report: ReportObject {
        typealias Subject = TaskRecord.Earlier
        static let name = "earlier"
        static let description = "What earlier runs of a background session did for a task"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("attempts", "How many tries they have made") { Int64($0.attempts) }
            members.optionalString("run", "The run that has ended the task; null for this one") {
                $0.end?.runIdentifier
            }
            members.optionalDate("endDate", "When it has ended the task; null for this one") {
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
            "A value that a task has captured; the value itself may be a secret"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("name", "The capture's name in the job file") { $0.name }
            members.integer("size", "Its length in bytes") { Int64($0.size) }
        }
    }
}

extension PublishedFile {
    enum Report: ReportObject {
        typealias Subject = PublishedFile
        static let name = "file"
        static let description = "A file that a body became"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("path", "The path as the job file has it") { $0.path }
            members.integer("size", "Its length in bytes") { $0.size }
            members.optionalOwnText("sha256", "Its SHA-256, when it was computed", .sha256) {
                $0.sha256
            }
            members.optionalInteger(
                "resumedFrom",
                "The position from which on the last attempt received it; null when it was the first byte"
            ) { $0.resumedFrom }
        }
    }
}

extension SourceLocation {
    enum Report: ReportObject {
        typealias Subject = SourceLocation
        static let name = "source"
        static let description = "A place in a job file"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("file", "The file as it was named") { $0.file }
            members.integer("line", "From 1", .integer(1...Int64.max)) { Int64($0.line) }
            members.integer("column", "From 1, in Unicode scalars", .integer(1...Int64.max)) {
                Int64($0.column)
            }
        }
    }
}
