internal import JSON
internal import SystemKit
package import TransferModel

/// One task of a report, as exports show it: without secrets.
package struct ReportedTask: Sendable {
    /// Why a task did not succeed.
    package struct Failure: Sendable, Hashable {
        /// The class of the failure.
        package var kind: String
        /// The failure in one sentence.
        package var message: String
        /// Advice for the user; nil without any.
        package var help: String?
        /// Whether a later run may succeed.
        package var isRetryable: Bool
        /// The `errno` of the failure; nil if unknown.
        var osErrno: Int?
        /// The place of the key in the job file that decides about the failure; nil without one.
        var source: SourceLocation?
    }

    /// The file that a task published.
    struct File: Sendable, Hashable {
        /// The length, bytes.
        var size: Int64
        /// The SHA-256 in hexadecimal; nil if it was not computed.
        var sha256: String?
    }

    /// The task's id in the job file.
    package var id: String
    /// The section of the job file that declares the task.
    package var kind: String
    /// The name of the task's session; empty for a task with one line in the report.
    package var session: String
    /// The place of the task in the job file.
    package var source: SourceLocation
    /// The end of the task.
    package var outcome: TaskOutcome
    /// Whether the run fails when the task does.
    package var isRequired: Bool
    /// Why the task did not succeed; nil for one that did.
    package var failure: Failure?
    /// The method of the last request; empty for a task with one line in the report, as the URL.
    package var method: String
    /// The URL of the last request.
    package var url: String
    /// The status code of the last response; nil without one.
    package var statusCode: Int?
    /// The creation of the task.
    package var startDate: Timestamp
    /// The end of the task.
    package var endDate: Timestamp
    /// The number of attempts, including those without a record.
    package var attemptCount: Int
    /// Body bytes sent.
    package var countOfBytesSent: Int64
    /// Body bytes received.
    package var countOfBytesReceived: Int64
    /// Whether the final response came from the cache.
    package var isFromCache: Bool
    /// The file that the task published; nil without one.
    var file: File?
    private let origin: Origin

    /// Where the exchanges are read from, when an export needs them.
    private enum Origin: Sendable {
        case record(RedactedRecord)
        case json(JSONValue)
    }

    /// The place in the job file to look at: the place of the key that decides about a failure, if
    /// there is one, otherwise the place of the task.
    var place: SourceLocation { failure?.source ?? source }

    /// Whether the task succeeded or had nothing to do.
    var isSuccess: Bool { outcome == .succeeded || outcome == .unchanged }

    /// Whether the task was skipped because a `when` does not hold, which is no failure.
    package var isRefused: Bool {
        outcome == .skipped && failure?.kind == TransferFailure.Kind.condition.label
    }
    /// Whether the task succeeded, had nothing to do, or did not start because of a `when`.
    var isGood: Bool { isSuccess || isRefused }

    /// Whether the task did not succeed in its first attempt.
    var isRemarkable: Bool { !isSuccess || attemptCount > 1 }

    /// From creation to end, microseconds.
    package var durationMicroseconds: Int64 { max(0, endDate.microseconds(since: startDate)) }

    /// A task that just ended.
    init(_ record: RedactedRecord) {
        id = record.id
        kind = record.kind.rawValue
        session = record.session
        source = record.source
        outcome = record.outcome
        isRequired = record.isRequired
        failure = record.failureKind.map {
            Failure(
                kind: $0.rawValue,
                message: record.failureMessage ?? "",
                help: record.failureHelp,
                isRetryable: record.isRetryable,
                osErrno: record.failureErrno,
                source: record.cause
            )
        }
        method = record.method
        url = record.url
        statusCode = record.statusCode
        startDate = record.startDate
        endDate = record.endDate
        attemptCount = record.attemptCount
        countOfBytesSent = record.countOfBytesSent
        countOfBytesReceived = record.countOfBytesReceived
        isFromCache = record.isFromCache
        file = record.file
        origin = .record(record)
    }

    /// Reads a task of a written report about a run of `jobFile`.
    static func read(_ json: JSONValue, jobFile: String) throws(ReportFault) -> ReportedTask {
        json["metrics"] == nil
            ? try ReportedTask(line: json, jobFile: jobFile) : try ReportedTask(record: json)
    }

    /// A task with its record.
    private init(record json: JSONValue) throws(ReportFault) {
        id = try json.text("id")
        kind = try json.text("type")
        session = try json.text("session")
        source = try Self.place(json.object("source"))
        outcome = try Self.outcome(of: json)
        isRequired = json["required"]?.bool ?? true
        if let error = json["error"], !error.isNull {
            failure = Failure(
                kind: try error.text("kind"),
                message: try error.text("message"),
                help: error["help"]?.string,
                isRetryable: error["retryable"]?.bool ?? false,
                osErrno: error["osErrno"]?.integer.map { Int($0) },
                source: try Self.optionalPlace(error["source"])
            )
        }
        let request = try json.object("currentRequest")
        method = try request.text("method")
        url = try request.text("url")
        statusCode = json["response"]?["statusCode"]?.integer.map { Int($0) }
        let interval = try json.object("metrics").object("taskInterval")
        startDate = try interval.date("start")
        endDate = try interval.date("end")
        let omitted = json["extension"]?["omittedAttempts"]?.integer ?? 0
        let recorded = Int64(json["attempts"]?.elements.count ?? 0)
        attemptCount = Int(recorded.addingSaturated(max(0, omitted)))
        countOfBytesSent = try json.number("countOfBytesSent")
        countOfBytesReceived = try json.number("countOfBytesReceived")
        isFromCache =
            json["extension"]?["cache"]?["verdict"]?.string
            .flatMap(CacheVerdict.Outcome.init(rawValue:))?.isFromCache ?? false
        file = try Self.file(of: json)
        origin = .json(json)
    }

    /// A task that succeeded in its first attempt, in a report that keeps only a line of it.
    private init(line json: JSONValue, jobFile: String) throws(ReportFault) {
        id = try json.text("id")
        kind = try json.text("type")
        session = ""
        source = SourceLocation(
            file: json["include"]?.string ?? jobFile,
            line: Int(try json.number("line")),
            column: 1
        )
        outcome = try Self.outcome(of: json)
        isRequired = true
        (method, url) = ("", "")
        statusCode = json["statusCode"]?.integer.map { Int($0) }
        startDate = try json.date("startDate")
        let duration = try json.number("durationUs")
        endDate = Timestamp(microseconds: startDate.microseconds.addingSaturated(duration))
        attemptCount = Int(try json.number("attempts"))
        countOfBytesSent = try json.number("countOfBytesSent")
        countOfBytesReceived = try json.number("countOfBytesReceived")
        isFromCache = false
        file = try Self.file(of: json)
        origin = .json(json)
    }

    private static func place(_ json: JSONValue) throws(ReportFault) -> SourceLocation {
        SourceLocation(
            file: try json.text("file"),
            line: Int(try json.number("line")),
            column: Int(try json.number("column"))
        )
    }

    /// Earlier versions wrote no such member.
    private static func optionalPlace(_ json: JSONValue?) throws(ReportFault) -> SourceLocation? {
        guard let json, !json.isNull else { return nil }
        return try place(json)
    }

    private static func outcome(of json: JSONValue) throws(ReportFault) -> TaskOutcome {
        guard let outcome = TaskOutcome(rawValue: try json.text("outcome")) else {
            throw ReportFault(message: "it has a task with an outcome that this version lacks")
        }
        return outcome
    }

    private static func file(of json: JSONValue) throws(ReportFault) -> File? {
        guard let file = json["file"], !file.isNull else { return nil }
        return File(size: try file.number("size"), sha256: file["sha256"]?.string)
    }

    /// The task as a written report has it; nil for a task that just ended.
    var json: JSONValue? {
        if case .json(let value) = origin { value } else { nil }
    }

    /// Whether the report keeps only a line of the task.
    var isLine: Bool { json.map { $0["metrics"] == nil } ?? false }

    /// The exchanges of the task, in the order of their beginnings.
    func exchanges() throws(ReportFault) -> [ReportedExchange] {
        try Self.exchanges(in: content())
    }

    /// The attempts of the task and its exchanges, each in the order of their beginnings, and the
    /// checks in their order.
    func measures() throws(ReportFault) -> (
        attempts: [ReportedAttempt], exchanges: [ReportedExchange], checks: [ReportedCheck]
    ) {
        let json = try content()
        var attempts: [ReportedAttempt] = []
        for element in json["attempts"]?.elements ?? [] {
            attempts.append(try ReportedAttempt(element))
        }
        var checks: [ReportedCheck] = []
        for element in json["checks"]?.elements ?? [] {
            checks.append(try ReportedCheck(element))
        }
        return (attempts, try Self.exchanges(in: json), checks)
    }

    private static func exchanges(in json: JSONValue) throws(ReportFault) -> [ReportedExchange] {
        var exchanges: [ReportedExchange] = []
        for element in json["metrics"]?["transactionMetrics"]?.elements ?? [] {
            exchanges.append(try ReportedExchange(element))
        }
        return exchanges
    }

    /// The task as the JSON report has it.
    private func content() throws(ReportFault) -> JSONValue {
        switch origin {
        case .json(let value): return value
        case .record(let record):
            var writer = ReportWriter()
            record.write(to: &writer)
            do {
                return try JSONValue(bytes: writer.json.bytes)
            } catch {
                throw ReportFault(message: "\(error)")
            }
        }
    }
}

/// One attempt of a task in a report.
struct ReportedAttempt {
    /// From 1.
    var number: Int
    var startDate: Timestamp
    var endDate: Timestamp
    var outcome: TaskOutcome
    /// The kind of the failure, or the status; nil for a success.
    var reason: String?
    /// The wait before the attempt, microseconds.
    var waitedMicroseconds: Int64
    /// The reason of the wait; nil without one.
    var waitReason: String?

    init(_ json: JSONValue) throws(ReportFault) {
        number = Int(try json.number("number"))
        startDate = try json.date("startDate")
        endDate = try json.date("endDate")
        outcome = TaskOutcome(rawValue: try json.text("outcome")) ?? .failed
        reason = json["reason"]?.string
        waitedMicroseconds = try json.number("waitedUs")
        waitReason = json["waitReason"]?.string
    }
}

/// One check of a task's response in a report.
struct ReportedCheck {
    /// The checked property.
    var name: String
    var hasPassed: Bool
    /// Nil where the check expects no value, as `actual`.
    var expected: String?
    var actual: String?

    init(_ json: JSONValue) throws(ReportFault) {
        name = try json.text("check")
        hasPassed = json["passed"]?.bool ?? false
        expected = json["expected"]?.string
        actual = json["actual"]?.string
    }
}
