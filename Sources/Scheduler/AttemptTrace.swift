import Transfer
import TransferModel

/// The results of a task's attempts, for its record.
///
/// Exchanges and bytes add up; the result of an attempt replaces the result of the attempt before
/// it.
struct AttemptTrace {
    /// The first and the last attempts, from a certain number on.
    private(set) var attempts: [TaskRecord.Attempt] = []
    /// The number of attempts between those.
    private(set) var omittedCount = 0
    /// The exchanges of the kept attempts.
    private(set) var transactions: [TransactionMetrics] = []
    private(set) var redirectCount = 0
    private(set) var countOfBytesSent: Int64 = 0
    private(set) var countOfBytesReceived: Int64 = 0
    /// The result of the last attempt; nil before the end of the first attempt.
    private(set) var last: EndedAttempt?

    /// More attempts are not kept: a task after a redirect may retry for days.
    private static let mostKept = 64

    /// Whether the last attempt has sent messages, which may change something at the server.
    private var hasSentMessages: Bool {
        last?.result.conversation?.webSocket.map { $0.sentMessageCount > 0 } ?? false
    }

    /// Adds an attempt that has ended.
    mutating func add(_ attempt: TaskRecord.Attempt, _ ended: EndedAttempt) {
        // Without the growth of an array, for most tasks have one attempt.
        if attempts.isEmpty { attempts = [attempt] } else { attempts.append(attempt) }
        addExchanges(of: ended.result)
        if attempts.count > Self.mostKept { omitOne() }
        if let upload = ended.result.resume?.upload {
            // Bytes that earlier attempts sent count once.
            countOfBytesSent = upload.sentEnd ?? countOfBytesSent
        } else {
            countOfBytesSent &+= ended.result.countOfBytesSent
        }
        countOfBytesReceived &+= ended.result.countOfBytesReceived
        last = ended
    }

    /// Forgets an attempt of the middle, and its exchanges.
    private mutating func omitOne() {
        let number = attempts.remove(at: Self.mostKept / 2).number
        omittedCount += 1
        transactions.removeAll { $0.attempt == number }
    }

    /// Adds only the exchanges of an attempt that continues.
    mutating func addExchanges(of result: AttemptResult) {
        if transactions.isEmpty {
            transactions = result.transactions
        } else {
            transactions += result.transactions
        }
        redirectCount += result.redirectCount
    }

    /// The facts in a task's record besides its attempts.
    struct Circumstances {
        /// The description of the task's session; nil without one.
        var sessionDescription: String?
        var priority = 0.5
        /// The earliest start of the task; nil without one.
        var earliestBeginDate: Timestamp?
        /// The wait for an interface or for power; zero without one.
        var held = Duration.zero
        /// The evidence that the destination had the right file before the first attempt; nil
        /// when it had not.
        var presentVoucher: BodyVoucher?
        /// The number of attempts in earlier runs; nil for a task that no earlier run began.
        var earlierAttempts: Int?
        /// Whether an earlier run used the same idempotency key; nil without a generated key.
        var isKeyReused: Bool?
    }

    /// The record of a task that has sent `request`, complete but for its error.
    func record(
        of spec: TaskSpec,
        sent request: RequestSpec,
        _ outcome: TaskOutcome,
        session: String,
        required: Bool,
        from startDate: Timestamp,
        to endDate: Timestamp,
        in circumstances: Circumstances = Circumstances()
    ) -> TaskRecord {
        changed(
            TaskRecord(
                id: spec.id,
                taskIdentifier: spec.index + 1,
                taskDescription: spec.description,
                kind: spec.kind,
                session: session,
                source: spec.source,
                outcome: outcome,
                required: required,
                request: reported(request.sent, spec),
                startDate: startDate,
                endDate: endDate
            )
        ) {
            $0.changed =
                outcome == .succeeded
                && (last?.result.file != nil || !spec.request.isSafe || hasSentMessages)
            if let last { $0.currentRequest = reported(last.result.currentRequest, spec) }
            noteAttempts(in: &$0)
            note(circumstances, in: &$0)
        }
    }

    /// A record with changes, without a copy of it.
    private func changed(
        _ record: consuming TaskRecord,
        _ change: (inout TaskRecord) -> Void
    ) -> TaskRecord {
        change(&record)
        return record
    }

    private func noteAttempts(in record: inout TaskRecord) {
        let isComplete = record.outcome == .succeeded || record.outcome == .unchanged
        record.progress = progress(isComplete: isComplete)
        record.countOfBytesSent = countOfBytesSent
        record.countOfBytesReceived = countOfBytesReceived
        record.attempts = attempts
        record.omittedAttempts = omittedCount
        record.redirectCount = redirectCount
        record.transactions = transactions
        guard let result = last?.result else { return }
        record.checks = result.checks
        record.response = result.response
        record.file = result.file
        record.voucher = result.voucher
        record.cache = result.cache
        record.captures = result.captured.map { .init(name: $0.name, size: $0.text.utf8.count) }
        record.countOfBytesExpectedToSend = result.countOfBytesExpectedToSend
        record.countOfBytesExpectedToReceive = result.countOfBytesExpectedToReceive
        record.partRefusal = result.partRefusal
        record.conversation = result.conversation
    }

    /// The progress of the last attempt, with the part that it resumed.
    private func progress(isComplete: Bool) -> TransferProgress {
        guard let result = last?.result else {
            return TransferProgress(counts: [], expected: nil, isComplete: isComplete)
        }
        let start = result.resume?.resumedFrom ?? 0
        // Of a resumed upload the count is its progress.
        let sent = result.resume?.upload == nil ? result.countOfBytesSent : countOfBytesSent
        let announced = isComplete ? nil : result.countOfBytesExpectedToReceive
        let expected = announced.map { [start, result.countOfBytesExpectedToSend ?? 0, $0] }
        return TransferProgress(
            counts: [start, sent, result.countOfBytesReceived],
            expected: expected,
            isComplete: isComplete
        )
    }

    private func note(_ circumstances: Circumstances, in record: inout TaskRecord) {
        record.priority = circumstances.priority
        if let voucher = circumstances.presentVoucher { record.voucher = voucher }
        if circumstances.held > .zero {
            record.heldMicroseconds = circumstances.held.microseconds
        }
        record.earlier = circumstances.earlierAttempts.map { .init(attempts: $0, end: nil) }
        record.isKeyReused = circumstances.isKeyReused
        record.sessionDescription = circumstances.sessionDescription
        record.earliestBeginDate = circumstances.earliestBeginDate
    }

    /// A request with the URL that the job file's kind of task has.
    private func reported(
        _ request: TransactionMetrics.SentRequest,
        _ spec: TaskSpec
    ) -> TransactionMetrics.SentRequest {
        switch spec.kind {
        case .data, .upload, .download: request
        case .webSocket: request.overWebSocket
        case .stream: request.overStream
        }
    }
}

extension TaskRecord {
    /// Adds the failure of a task, and the place of the key that decides on it.
    mutating func end(with failure: TransferFailure, at place: SourceLocation?) {
        error = failure
        cause = place
        isRetryable = failure.exitCode == .temporary || failure.isDeferral
        isForWantOfMachine = failure.exitCode == .environment
    }

    /// Adds the failure of a task that the run itself has ended, and the place of the key that
    /// stops the run, if one does.
    mutating func end(
        cancelledBy failure: TransferFailure,
        at place: @autoclosure () -> SourceLocation?
    ) {
        error = failure
        if !failure.decidingKey.isEmpty { cause = place() }
        // The next run misses the same part of the environment.
        isRetryable = !failure.isOutcomeUnknown && outcome != .skipped
    }
}

extension RequestSpec {
    /// The request as a report has it.
    var sent: TransactionMetrics.SentRequest {
        .init(method: method, url: url.text, headers: HeaderFields(headers))
    }
}
