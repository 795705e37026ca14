import Transfer
import TransferModel

/// What is kept of a task from its start to its end.
struct ActiveTask {
    /// Legal next stages stand behind each.
    enum Stage {
        /// Asks whether the destination is there. Next: `running`, or the end.
        case checking
        /// An attempt is with the runner. Next: `waiting`, or the end.
        case running
        /// Until the next attempt is due. Next: `queued`, or the end.
        case waiting
        /// Due, and waits for a place at its host. Next: `running`, or the end.
        case queued
    }

    let spec: TaskSpec
    let createdAt: MonotonicTime
    /// When the task's life is over, whatever it does: the session's `timeoutIntervalForResource`.
    let deadline: MonotonicTime?
    /// When no attempt may begin any more: the deadline or the end of the retry budget.
    let retryLimit: MonotonicTime?
    private(set) var stage: Stage
    /// Of the attempt that runs, or of the last one; 0 before the first.
    private(set) var number = 0
    /// How the last attempt ended, its transactions moved to `transactions`.
    private(set) var last: AttemptResult?

    /// Whether an attempt has met an answer that broke HTTP's rules.
    private var hasBrokenFraming = false
    private var attempts: [TaskRecord.Attempt] = []
    private var transactions: [TransactionMetrics] = []
    private var redirectCount = 0
    private var countOfBytesSent: Int64 = 0
    private var countOfBytesReceived: Int64 = 0
    private var waitStart: MonotonicTime?
    private var waitReason: TaskRecord.Attempt.WaitReason?
    /// How long the attempt that runs was waited for.
    private var waited: Duration = .zero

    init(
        _ spec: TaskSpec,
        session: SessionConfiguration,
        now: MonotonicTime,
        stage: Stage
    ) {
        self.spec = spec
        self.stage = stage
        createdAt = now
        deadline = session.timeoutIntervalForResource.map { now + $0 }
        let budgetEnd = spec.retry.budget.map { now + $0 }
        retryLimit = [deadline, budgetEnd].compactMap { $0 }.min()
    }

    var lane: HostLanes.Lane {
        HostLanes.Lane(session: spec.session, origin: spec.request.url.origin)
    }

    /// Begins the next attempt.
    mutating func begin(_ now: MonotonicTime) -> AttemptRequest {
        stage = .running
        number += 1
        waited = waitStart.map { now - $0 } ?? .zero
        let isUnsafe = !spec.request.isIdempotent && !spec.request.hasIdempotencyKey
        return AttemptRequest(
            key: spec.index,
            session: spec.session,
            number: number,
            request: spec.request,
            body: spec.body,
            sink: spec.destination.map { .file($0) } ?? .memory,
            expectation: spec.expectation,
            redirects: spec.redirects,
            timeoutInterval: spec.timeoutInterval,
            deadline: deadline,
            // A second try must not meet the connection on which the first one failed.
            requiresFreshConnection: number > 1 || isUnsafe
        )
    }

    /// Keeps what an attempt has left.
    mutating func end(_ result: AttemptResult, _ clock: RunClock) {
        var attempt = TaskRecord.Attempt(
            number: number,
            startDate: clock.timestamp(of: result.startTime),
            endDate: clock.timestamp(of: result.endTime),
            outcome: .succeeded
        )
        if let failure = result.failure {
            attempt.outcome = failure.kind == .cancelled ? .cancelled : .failed
            attempt.reason =
                failure.kind == .httpStatus
                ? failure.httpStatus.map { "\($0)" } ?? failure.kind.label : failure.kind.label
            if failure.kind == .protocolViolation { hasBrokenFraming = true }
        }
        attempt.waitedMicroseconds = waited.microseconds
        attempt.waitReason = waitReason
        attempts.append(attempt)
        transactions.append(contentsOf: result.transactions)
        redirectCount += result.redirectCount
        countOfBytesSent &+= result.countOfBytesSent
        countOfBytesReceived &+= result.countOfBytesReceived
        last = result
        last?.transactions = []
    }

    /// Waits for the next attempt.
    mutating func wait(_ reason: TaskRecord.Attempt.WaitReason, since now: MonotonicTime) {
        stage = .waiting
        waitStart = now
        waitReason = reason
    }

    /// Waits on, because the origin is paused for other tasks too.
    mutating func waitForOrigin() {
        waitReason = .originPaused
    }

    /// Is due, and waits for a place at its host.
    mutating func queue() {
        stage = .queued
    }

    /// What the decision on another attempt needs to know besides the failure; to be asked before `end`.
    func history(
        after result: AttemptResult,
        _ clock: RunClock,
        _ now: MonotonicTime
    ) -> RetryDecision.History {
        RetryDecision.History(
            attempts: number,
            remaining: retryLimit.map { $0 - now },
            hasBrokenFraming: hasBrokenFraming,
            retryAfter: result.response.flatMap {
                RetryAfter.wait(in: $0.fields, now: clock.timestamp(of: now))
            }
        )
    }

    /// The record of the task, complete but for its error.
    func record(
        _ outcome: TaskOutcome,
        session: SessionConfiguration,
        required: Bool,
        _ clock: RunClock,
        _ now: MonotonicTime
    ) -> TaskRecord {
        var record = TaskRecord(
            spec,
            outcome,
            session: session.name,
            required: required,
            startDate: clock.timestamp(of: createdAt),
            endDate: clock.timestamp(of: now)
        )
        record.attempts = attempts
        record.transactions = transactions
        record.redirectCount = redirectCount
        record.countOfBytesSent = countOfBytesSent
        record.countOfBytesReceived = countOfBytesReceived
        guard let last else { return record }
        record.currentRequest = last.currentRequest
        record.response = last.response
        record.checks = last.checks
        record.file = last.file
        record.voucher = last.voucher
        record.countOfBytesExpectedToSend = last.countOfBytesExpectedToSend
        record.countOfBytesExpectedToReceive = last.countOfBytesExpectedToReceive
        record.changed = outcome == .succeeded && (last.file != nil || spec.request.changesServer)
        return record
    }
}

extension TaskRecord {
    /// The record of a task of which only the plan is known.
    init(
        _ spec: TaskSpec,
        _ outcome: TaskOutcome,
        session: String,
        required: Bool,
        startDate: Timestamp,
        endDate: Timestamp
    ) {
        self.init(
            id: spec.id,
            taskIdentifier: spec.index + 1,
            kind: spec.kind,
            session: session,
            source: spec.source,
            outcome: outcome,
            required: required,
            request: TransactionMetrics.SentRequest(
                method: spec.request.method,
                url: spec.request.url.text,
                headers: HeaderFields(spec.request.headers)
            ),
            startDate: startDate,
            endDate: endDate
        )
        taskDescription = spec.description
    }
}

extension RequestSpec {
    /// Whether the method asks for more than a look (RFC 9110 §9.2.1).
    fileprivate var changesServer: Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": false
        default: true
        }
    }
}
