internal import CurlKit
internal import TransferModel

/// How a conversation treats time.
struct ConversationSetting {
    /// Turns readings into the dates of records.
    var clock: RunClock
    /// The longest silence; nil for no limit.
    var idleLimit: TimeLimit?
}

/// How far the running step of a conversation has come.
struct StepProgress {
    /// When the step began.
    let start: MonotonicTime
    /// The messages that the step has sent or taken.
    var messageCount = 0
    /// The bytes that the step has sent or taken.
    var byteCount: Int64 = 0
    /// The code of a Close frame that the step has sent or received.
    var closeCode: Int?
    /// The TLS that the step has begun.
    var facts: TLSFacts?

    init(at start: MonotonicTime) {
        self.start = start
    }

    mutating func count(message bytes: Int) {
        messageCount += 1
        byteCount += Int64(bytes)
    }
}

/// The steps of a conversation, one after the other, with their times and their records.
///
/// A value without I/O and clock. The kind of the conversation says what its steps do, and when
/// one is done.
struct StepRun<Step: ConversationStep> {
    /// A limit that the running step has reached.
    enum Due {
        /// The step has lasted as long as it should.
        case duration
        /// The step has taken longer than this limit, milliseconds.
        case limit(Int64)
        /// Nothing has moved within this limit.
        case silence(TimeLimit)
    }

    private let steps: [Step]
    private let setting: ConversationSetting
    private let mostRecords: Int
    /// The position of the running step.
    private(set) var position = 0
    var progress: StepProgress
    /// When bytes moved last.
    var lastActivity: MonotonicTime
    private(set) var records: [StepRecord<Step.Name>] = []
    /// The number of later steps, which have no record.
    private(set) var omittedCount = 0
    /// Why the conversation has failed; nil while it has not.
    private(set) var failure: TransferFailure?

    /// Begins the first step.
    init(
        _ steps: [Step],
        _ setting: ConversationSetting,
        mostRecords: Int = .max,
        at now: MonotonicTime
    ) {
        self.steps = steps
        self.setting = setting
        self.mostRecords = mostRecords
        progress = StepProgress(at: now)
        lastActivity = now
    }

    /// The running step; nil when all are done, or one has failed.
    var current: Step? { position < steps.count ? steps[position] : nil }

    /// Turns a reading into the date of a record.
    func date(of time: MonotonicTime) -> Timestamp { setting.clock.timestamp(of: time) }

    // MARK: - Time

    /// The earliest time at which `due` returns a limit; nil for never.
    var nextTime: MonotonicTime? { [durationEnd, limitEnd, idleEnd].compactMap(\.self).min() }

    private var durationEnd: MonotonicTime? { current?.duration.map { progress.start + $0 } }

    private var limitEnd: MonotonicTime? { current?.timeout.map { progress.start + $0 } }

    private var idleEnd: MonotonicTime? {
        guard let current, current.duration == nil else { return nil }
        return setting.idleLimit.map { lastActivity + $0.duration }
    }

    /// The first limit that is reached; nil for none.
    func due(at now: MonotonicTime) -> Due? {
        if let durationEnd, now >= durationEnd { return .duration }
        if let limit = current?.timeout, now >= progress.start + limit {
            return .limit(limit.microseconds / 1000)
        }
        if let limit = setting.idleLimit, let idleEnd, now >= idleEnd {
            return .silence(limit)
        }
        return nil
    }

    // MARK: - Ends

    /// Ends the running step; the next one begins.
    mutating func endStep(at now: MonotonicTime) {
        record(.succeeded, at: now)
        position += 1
        progress = StepProgress(at: now)
    }

    /// Ends the running step and all others with a failure, whose detail then begins with the step.
    mutating func fail(
        with failure: TransferFailure,
        namesStep: Bool = true,
        at now: MonotonicTime
    ) {
        var failure = failure
        if namesStep, let current {
            failure.detail =
                "step \(position + 1) (`\(current.name.rawValue)`): \(failure.detail)"
        }
        self.failure = failure
        record(.failed, at: now)
        position = steps.count
    }

    private mutating func record(_ outcome: StepOutcome, at now: MonotonicTime) {
        guard let current else { return }
        guard records.count < mostRecords else {
            omittedCount += 1
            return
        }
        var record = StepRecord(
            current.name,
            from: date(of: progress.start),
            to: date(of: now),
            outcome
        )
        record.byteCount = progress.byteCount
        record.messageCount = progress.messageCount
        record.closeCode = progress.closeCode
        record.tlsVersion = progress.facts?.versionName
        record.cipherSuite = progress.facts?.cipherSuiteName
        records.append(record)
    }
}

extension TransferFailure {
    /// The received bytes are not as their step expects them.
    static func ofContent(_ detail: String) -> TransferFailure {
        TransferFailure(
            kind: .content,
            phase: .receive,
            detail: detail,
            urlError: .badServerResponse,
            isPermanent: true
        )
    }
}
