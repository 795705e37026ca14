internal import JSON
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
    }

    /// The task's id in the job file.
    package var id: String
    /// The section of the job file that declares the task.
    package var kind: String
    /// The name of the task's session.
    package var session: String
    /// The place of the task in the job file.
    package var source: SourceLocation
    /// The end of the task.
    package var outcome: TaskOutcome
    /// Whether the run fails when the task does.
    package var isRequired: Bool
    /// Why the task did not succeed; nil for one that did.
    package var failure: Failure?
    /// The method of the last request.
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
    private let origin: Origin

    /// Where the exchanges are read from, when an export needs them.
    private enum Origin: Sendable {
        case record(RedactedRecord)
        case json(JSONValue)
    }

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
                isRetryable: record.isRetryable
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
        origin = .record(record)
    }

    /// A task of a written report.
    init(_ json: JSONValue) throws(ReportFault) {
        id = try json.text("id")
        kind = try json.text("type")
        session = try json.text("session")
        let place = try json.object("source")
        source = SourceLocation(
            file: try place.text("file"),
            line: Int(try place.number("line")),
            column: Int(try place.number("column"))
        )
        guard let outcome = TaskOutcome(rawValue: try json.text("outcome")) else {
            throw ReportFault(message: "it has a task with an outcome that this version lacks")
        }
        self.outcome = outcome
        isRequired = json["required"]?.bool ?? true
        if let error = json["error"], !error.isNull {
            failure = Failure(
                kind: try error.text("kind"),
                message: try error.text("message"),
                help: error["help"]?.string,
                isRetryable: error["retryable"]?.bool ?? false
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
        attemptCount = (json["attempts"]?.elements.count ?? 0) + Int(omitted)
        countOfBytesSent = try json.number("countOfBytesSent")
        countOfBytesReceived = try json.number("countOfBytesReceived")
        isFromCache =
            json["extension"]?["cache"]?["verdict"]?.string
            .flatMap(CacheVerdict.Outcome.init(rawValue:))?.isFromCache ?? false
        origin = .json(json)
    }

    /// The exchanges of the task, in the order of their beginnings.
    func exchanges() throws(ReportFault) -> [ReportedExchange] {
        let json: JSONValue
        switch origin {
        case .json(let value): json = value
        case .record(let record):
            var writer = ReportWriter()
            record.write(to: &writer)
            do {
                json = try JSONValue(bytes: writer.json.bytes)
            } catch {
                throw ReportFault(message: "\(error)")
            }
        }
        var exchanges: [ReportedExchange] = []
        for element in json["metrics"]?["transactionMetrics"]?.elements ?? [] {
            exchanges.append(try ReportedExchange(element))
        }
        return exchanges
    }
}
