import Transfer
import TransferModel

/// What the attempts of a task have left for its record.
///
/// What happened in them adds up, what came of one takes the place of what came of the one before.
///
/// A class, so that a record is made of it without a copy.
final class AttemptTrace {
    /// The idempotency key that was made for the task; nil without one.
    private let key: OrderKey?
    /// The first and the last ones, from a certain number on.
    private(set) var attempts: [TaskRecord.Attempt] = []
    /// How many there were between those.
    private(set) var omittedCount = 0
    /// The exchanges of those that are kept.
    private(set) var transactions: [TransactionMetrics] = []
    private(set) var redirectCount = 0
    private(set) var countOfBytesSent: Int64 = 0
    private(set) var countOfBytesReceived: Int64 = 0
    /// What came of the last attempt; nil before the first has ended.
    private(set) var last: AttemptResult?

    /// More attempts are not kept: who waits behind a redirect may look for a way for days.
    private static let mostKept = 64

    /// The trace of a task that has not begun.
    init(key: OrderKey? = nil) {
        self.key = key
    }

    /// Adds an attempt that has ended.
    func add(_ attempt: TaskRecord.Attempt, _ result: AttemptResult) {
        attempts.append(attempt)
        addExchanges(of: result)
        if attempts.count > Self.mostKept { omitOne() }
        if let upload = result.resume?.upload {
            // What was sent before counts once.
            countOfBytesSent = upload.sentEnd ?? countOfBytesSent
        } else {
            countOfBytesSent &+= result.countOfBytesSent
        }
        countOfBytesReceived &+= result.countOfBytesReceived
        last = result
    }

    /// Forgets an attempt of the middle, and what was exchanged in it.
    private func omitOne() {
        let number = attempts.remove(at: Self.mostKept / 2).number
        omittedCount += 1
        transactions.removeAll { $0.attempt == number }
    }

    /// Adds only what was exchanged, of an attempt that goes on.
    func addExchanges(of result: AttemptResult) {
        if transactions.isEmpty {
            transactions = result.transactions
        } else {
            transactions += result.transactions
        }
        redirectCount += result.redirectCount
    }

    /// The record of a task, complete but for its error; that of an empty trace is of a task that
    /// never began.
    func record(
        of spec: TaskSpec,
        _ outcome: TaskOutcome,
        session: String,
        required: Bool,
        from startDate: Timestamp,
        to endDate: Timestamp
    ) -> TaskRecord {
        let request = key.map { spec.request.keyed($0.text) } ?? spec.request
        var record = TaskRecord(
            id: spec.id,
            taskIdentifier: spec.index + 1,
            taskDescription: spec.description,
            kind: spec.kind,
            session: session,
            source: spec.source,
            outcome: outcome,
            changed: outcome == .succeeded && (last?.file != nil || spec.request.changesServer),
            required: required,
            checks: last?.checks ?? [],
            request: request.sent,
            currentRequest: last?.currentRequest,
            response: last?.response,
            file: last?.file,
            voucher: last?.voucher,
            cache: last?.cache,
            captures: last?.captured.map { .init(name: $0.name, size: $0.text.utf8.count) } ?? [],
            countOfBytesSent: countOfBytesSent,
            countOfBytesReceived: countOfBytesReceived,
            countOfBytesExpectedToSend: last?.countOfBytesExpectedToSend,
            countOfBytesExpectedToReceive: last?.countOfBytesExpectedToReceive,
            attempts: attempts,
            startDate: startDate,
            endDate: endDate,
            redirectCount: redirectCount,
            transactions: transactions
        )
        record.omittedAttempts = omittedCount
        record.isKeyReused = key?.isReused
        return record
    }
}

extension TaskRecord {
    /// Adds the failure of a task that the run itself has ended.
    mutating func end(cancelledBy failure: TransferFailure) {
        error = failure
        // The next run misses the same part of the environment.
        isRetryable = !failure.isOutcomeUnknown && outcome != .skipped
    }
}

extension RequestSpec {
    /// The request as a report has it.
    var sent: TransactionMetrics.SentRequest {
        .init(method: method, url: url.text, headers: HeaderFields(headers))
    }

    /// Whether the method asks for more than a look (RFC 9110 §9.2.1).
    fileprivate var changesServer: Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": false
        default: true
        }
    }
}
