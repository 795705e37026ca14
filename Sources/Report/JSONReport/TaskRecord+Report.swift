internal import TransferModel

extension TaskRecord {
    static let report = ReportObject<TaskRecord>(
        "task",
        "One task of the job and how it ended",
        identityFields + resultFields + exchangeFields + measureFields
    )

    private static let identityFields: [ReportField<TaskRecord>] = [
        .string("id", "The task's id in the job file") { $0.id },
        .integer(
            "taskIdentifier",
            "The task's number in plan order, from 1",
            .integer(1...Int64.max)
        ) { Int64($0.taskIdentifier) },
        .optionalString("taskDescription", "The job file's description") {
            $0.taskDescription
        },
        .name("type", "The section that the task stands in") { $0.kind },
        .string("session", "The name of the task's session") { $0.session },
        .object("source", "Where the job file declares the task", SourceLocation.report) {
            $0.source
        },
    ]

    private static let resultFields: [ReportField<TaskRecord>] = [
        // A task is reported when it has ended, and Apple has one state for that.
        .constant("state", "URLSessionTask.State", "completed", of: ["completed"]),
        .name("outcome", "How the task ended") { $0.outcome },
        .bool("changed", "Whether the task changed anything, here or at the server") {
            $0.changed
        },
        .bool("required", "Whether the run fails when the task does") { $0.required },
        .array("checks", "The checks that ran, in order", Check.report) { $0.checks },
        .optionalObject("error", "Why the task did not succeed", ReportedFailure.report) {
            record in
            record.error.map {
                ReportedFailure(failure: $0, isRetryable: record.isRetryable)
            }
        },
    ]

    private static let exchangeFields: [ReportField<TaskRecord>] = [
        .object(
            "originalRequest",
            "The task's request",
            TransactionMetrics.SentRequest.report
        ) { $0.originalRequest },
        .object(
            "currentRequest",
            "The request after the last redirect",
            TransactionMetrics.SentRequest.report
        ) { $0.currentRequest },
        .optionalObject("response", "The final response", ResponseHead.report) {
            $0.response
        },
        .optionalObject(
            "file",
            "The file that the body became; null when none was published",
            PublishedFile.report
        ) { $0.file },
        .integer("countOfBytesSent", "Body bytes sent, all attempts together") {
            $0.countOfBytesSent
        },
        .integer("countOfBytesReceived", "Body bytes received, all attempts together") {
            $0.countOfBytesReceived
        },
        .optionalInteger("countOfBytesExpectedToSend", "The length of the request's body") {
            $0.countOfBytesExpectedToSend
        },
        .optionalInteger(
            "countOfBytesExpectedToReceive",
            "The announced length of the response's body"
        ) { $0.countOfBytesExpectedToReceive },
    ]

    private static let measureFields: [ReportField<TaskRecord>] = [
        .array("attempts", "Every try", Attempt.report) { $0.attempts },
        .group("metrics", "As URLSessionTaskMetrics", metricsReport),
        .group("extension", "What Apple's tasks do not have", extensionReport),
    ]

    private static let metricsReport = ReportObject<TaskRecord>(
        "metrics",
        "The measurements of a task, as URLSessionTaskMetrics",
        [
            .group("taskInterval", "From creation to end", intervalReport),
            .integer("redirectCount", "Redirects that were followed, all attempts together") {
                Int64($0.redirectCount)
            },
            .array(
                "transactionMetrics",
                "One for each exchange, in the order of fetchStartDate",
                TransactionMetrics.report
            ) { $0.transactions },
        ]
    )

    private static let intervalReport = ReportObject<TaskRecord>(
        "interval",
        "A stretch of time",
        [
            .date("start", "Its beginning") { $0.startDate },
            .date("end", "Its end") { $0.endDate },
            .integer("durationUs", "Its length in microseconds") {
                Swift.max(0, $0.endDate.microseconds(since: $0.startDate))
            },
        ]
    )

    private static let extensionReport = ReportObject<TaskRecord>(
        "taskExtension",
        "What Apple's tasks do not have",
        [
            .optionalName("vouchedBy", "What says that the body is complete") { $0.voucher }
        ]
    )
}

extension TaskRecord.Check {
    static let report = ReportObject<Self>(
        "check",
        "One check of the result",
        [
            .name("check", "What was checked") { $0.check },
            .bool("passed", "Whether it held") { $0.passed },
            .optionalString("expected", "What was expected") { $0.expected },
            .optionalForeignText("actual", "What was found") { $0.actual },
        ]
    )
}

extension TaskRecord.Attempt {
    static let report = ReportObject<Self>(
        "attempt",
        "One try of a task",
        [
            .integer("number", "From 1", .integer(1...Int64.max)) { Int64($0.number) },
            .date("startDate", "Its beginning") { $0.startDate },
            .date("endDate", "Its end") { $0.endDate },
            .name("outcome", "How it ended") { $0.outcome },
            .optionalForeignText("reason", "What made it fail") { $0.reason },
            .integer("waitedUs", "The wait before it, microseconds") { $0.waitedMicroseconds },
            .optionalName("waitReason", "Why it waited") { $0.waitReason },
        ]
    )
}

extension TaskRecord.PublishedFile {
    static let report = ReportObject<Self>(
        "file",
        "A file that a body became",
        [
            .string("path", "The path as the job file has it") { $0.path },
            .integer("size", "Its length in bytes") { $0.size },
            .optionalString("sha256", "Its SHA-256, when it was computed", .sha256) {
                $0.sha256
            },
            .unmeasured(
                "resumedFrom",
                "The offset that the transfer was resumed from; null when it was whole",
                .count
            ),
        ]
    )
}

extension SourceLocation {
    static let report = ReportObject<Self>(
        "source",
        "A place in a job file",
        [
            .string("file", "The file as it was named") { $0.file },
            .integer("line", "From 1", .integer(1...Int64.max)) { Int64($0.line) },
            .integer("column", "From 1, in Unicode scalars", .integer(1...Int64.max)) {
                Int64($0.column)
            },
        ]
    )
}
