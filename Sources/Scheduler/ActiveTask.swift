import SystemKit
import Transfer
import TransferModel

/// The state of a task from its start to its end; `ActiveTasks` changes it in place.
struct ActiveTask {
    /// Legal next stages stand behind each.
    enum Stage {
        /// Asks whether the destination is there. Next: `running`, `awaitingChecksums`, or the end.
        case checking
        /// Until another task has fetched the checksums. Next: `queued`, or the end.
        case awaitingChecksums
        /// An attempt is with the runner, or a file to be examined. Next: `checking`, `waiting`, or
        /// the end.
        case running
        /// Until the next attempt is due. Next: `queued`, or the end.
        case waiting
        /// Due, and waits for a place at its host. Next: `running`, `awaitingChecksums`, or the
        /// end.
        case queued
        case ended
    }

    /// The fields of its record that are known when it begins.
    private struct Heading {
        var sessionName: String
        /// nil without one.
        var sessionIdentifier: String?
        var isRequired: Bool
        var startDate: Timestamp
    }

    let spec: TaskSpec
    /// What is asked for, with the idempotency key that was made for it.
    let request: RequestSpec
    /// The idempotency key that was made for it; nil without one.
    private let key: OrderKey?
    /// Whether an idempotency key was made for it.
    var hasMadeKey: Bool { key != nil }
    /// The session's connections to the origin of the URL that is asked.
    var lane: HostLanes.Lane
    /// How long it may take, and its waits.
    var waits: TaskWaits
    /// When the task's life is over, whatever it does: the session's `timeoutIntervalForResource`.
    var deadline: MonotonicTime? { waits.deadline }
    /// When no attempt may begin any more.
    var retryLimit: MonotonicTime? { waits.retryLimit }
    var stage = Stage.checking
    /// Its attempts, counted.
    var count: AttemptCount
    /// The number of the attempt that runs, or of the last one; 0 before the first.
    var number: Int { count.number }
    /// Whether an attempt was handed to the runner.
    private(set) var hasBegun = false
    /// How often the network had changed when the last attempt began.
    var changesAtStart = 0
    /// Whether the next attempt is the first of a round through its URLs.
    var isNewRound = true
    /// Whether it was told that it waits for an interface, or for power.
    var isKnownToWait = false
    /// How the last attempt failed.
    private(set) var failure: TransferFailure?

    /// nil for a task without mirrors.
    var mirrors: MirrorRotation?
    /// What the file's checksum is looked up in.
    var checksums: ChecksumList?
    /// Whether it is this task that fetches them.
    var fetchesChecksums = false
    /// What is known of the file that may be there already.
    var presence = Presence.unknown
    /// Whether it was told that the task has begun.
    var isAnnounced = false
    /// What the last attempt has left of the file.
    private var partial: PartialDownload?
    /// What it has left of the upload.
    private var upload: PartialUpload?
    /// Whether the file was not asked for yet.
    private var isFirstForFile = true
    /// How many attempts count towards `retry.attempts` of a later run.
    var failuresForLaterRuns: Int { count.failuresForLaterRuns }
    /// When the attempt that runs was handed to the runner.
    private var handoverTime: MonotonicTime?
    /// When the attempt that runs began, if it began with fetching the checksums and has them now.
    private var checksumStart: MonotonicTime?
    private let heading: Heading
    /// What the attempts have left.
    private var trace: AttemptTrace
    /// Whether an attempt has met an answer that broke HTTP's rules.
    var hasBrokenFraming = false

    /// A task that begins now.
    ///
    /// Only the memberwise initializer makes so large a value without a copy.
    ///
    /// - Parameters:
    ///   - spec: All of its settings.
    ///   - key: The idempotency key that was made for it; nil without one.
    ///   - earlier: What earlier runs have left of it; nil when it begins now.
    ///   - hold: How it was kept back; nil when it was not.
    ///   - pausedSince: Since when its origin was paused, if that alone has kept it back.
    ///   - session: Its session.
    ///   - lane: Its place at the first URL's origin.
    ///   - isRequired: Whether its failure is the run's.
    ///   - clock: Dates the record.
    ///   - now: The present.
    /// - Returns: The task, before its first attempt.
    static func begun(
        _ spec: TaskSpec,
        key: OrderKey? = nil,
        earlier: EarlierTransfer? = nil,
        hold: ClosedPaths.Hold? = nil,
        pausedSince: MonotonicTime? = nil,
        session: SessionConfiguration,
        lane: HostLanes.Lane,
        isRequired: Bool,
        clock: RunClock,
        now: MonotonicTime
    ) -> ActiveTask {
        let interval = session.timeoutIntervalForResource
        let start = hold?.since ?? now
        let startDate = clock.timestamp(of: start)
        let remaining = earlier.map { $0.remaining(of: interval, at: startDate) }
        return ActiveTask(
            spec: spec,
            request: key.map { spec.request.keyed($0.text) } ?? spec.request,
            key: key,
            lane: lane,
            waits: TaskWaits(
                deadline: (remaining ?? interval).map { start + $0 },
                budgetEnd: spec.retry.budget.map { start + $0 },
                hold: hold,
                pausedSince: pausedSince
            ),
            count: AttemptCount(
                earlierAttempts: earlier?.attempts,
                earlierFailures: earlier?.failures ?? 0
            ),
            mirrors: spec.mirrors.isEmpty ? nil : MirrorRotation(mirrors: spec.mirrors.count),
            heading: Heading(
                sessionName: session.name,
                sessionIdentifier: session.identifier,
                isRequired: isRequired,
                startDate: startDate
            ),
            trace: AttemptTrace()
        )
    }

    /// Begins the next attempt, or goes on with one that has fetched the checksums.
    mutating func begin(_ now: MonotonicTime) -> AttemptRequest {
        stage = .running
        hasBegun = true
        handoverTime = now
        waits.endHold(now)
        if checksumStart == nil {
            count.begin()
            waits.attemptBegins(now)
        }
        if let list = missingChecksums { return checksumRequest(list) }
        defer { isFirstForFile = false }
        let isUnsafe = !request.isIdempotent && !request.hasIdempotencyKey
        let isAtMirror = mirrors.map { $0.current > 0 } ?? false
        let isNewMirror = isAtMirror && mirrors?.isFirstTry == true
        return AttemptRequest(
            key: spec.index,
            session: spec.session,
            number: number,
            request: isAtMirror ? request.directed(to: url) : request,
            body: spec.body,
            bodyFiles: key?.files ?? [],
            sink: destination.map { .file($0) } ?? .memory,
            expectation: spec.expectation,
            redirects: spec.redirects,
            timeoutInterval: spec.timeoutInterval,
            deadline: deadline,
            // A second try must not meet the connection on which the first one failed.
            requiresFreshConnection: number > 1
                || resending.requiresFreshConnection(for: request),
            resending: resending,
            resolvesAnew: failure?.isOfConnecting ?? false,
            reason: isNewMirror ? .mirror : number > 1 ? .retry : .initial,
            decodesBody: spec.decodesBody,
            isDownload: spec.kind == .download,
            checksums: checksums,
            partial: partial,
            access: spec.access,
            upload: spec.uploadResume == .nothing
                ? nil
                : AttemptRequest.Upload(
                    id: SessionConfiguration.uploadName(of: spec.id, in: heading.sessionIdentifier),
                    isKept: spec.uploadResume == .acrossRuns,
                    mayReplace: count.earlierAttempts == nil || !isUnsafe
                        || spec.retry.repeat == .always,
                    mayRepeat: spec.retry.repeat == .always,
                    partial: upload
                ),
            cachePolicy: cachePolicy,
            ignoresStored: failure?.isAboutContent ?? false,
            looksForPart: isFirstForFile,
            nextMirrors: mirrors.map { Array(spec.mirrors.dropFirst($0.triedMirrors)) } ?? []
        )
    }

    /// Which of its requests may leave twice within an attempt.
    var resending: AttemptRequest.Resending {
        if spec.retry.repeat == .never { return .none }
        return spec.retry.attempts == 1 ? .safe : .idempotent
    }

    /// What its request makes of stored responses; nil for a download that nothing is said of,
    /// which is fetched.
    private var cachePolicy: RequestCachePolicy? {
        if let policy = spec.cachePolicy { return policy }
        let isPlainDownload =
            spec.kind == .download && spec.destination?.ifExists != .revalidate
            && spec.request.method == "GET"
        return isPlainDownload ? nil : .useProtocolCachePolicy
    }

    /// Where the body goes: in the place of a file, too, that was to be kept and has not its
    /// checksum.
    private var destination: TaskSpec.Destination? {
        guard presence == .different, spec.destination?.ifExists == .skip else {
            return spec.destination
        }
        return spec.destination?.replacing
    }

    /// The file that is there is with the runner, which hashes it.
    mutating func beginExamination(_ now: MonotonicTime) {
        stage = .running
        presence = .examined
        handoverTime = now
        waits.endHold(now)
    }

    /// Takes in what hashing the file has come to.
    mutating func endExamination(_ result: AttemptResult, _ clock: RunClock) {
        presence = result.isUnchanged ? .right : .different
        failure = result.failure
        // An attempt that has fetched the list of checksums ends with it, unless the file is asked
        // for, too.
        if checksumStart != nil, result.failure != nil || result.isUnchanged { end(result, clock) }
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
            attempt.outcome =
                switch failure.kind {
                case .cancelled: .cancelled
                case .network: .deferred
                default: .failed
                }
            attempt.reason =
                failure.kind == .httpStatus
                ? failure.httpStatus.map { "\($0)" } ?? failure.kind.label : failure.kind.label
            if failure.kind == .protocolViolation { hasBrokenFraming = true }
            if failure.kind == .network, failure.symptom != nil {
                count.failWithoutNetwork()
            }
        }
        attempt.resumedFrom = result.resume?.resumedFrom ?? result.resume?.upload?.resumedFrom
        partial = result.resume?.partial
        // Who has asked nothing has learnt nothing of it.
        if result.resume != nil || result.failure == nil || !result.transactions.isEmpty {
            upload = result.resume?.upload?.partial
        }
        attempt.omittedExchanges = result.omittedTransactions
        attempt.waitedMicroseconds = waits.waited.microseconds
        attempt.waitReason = waits.reason
        failure = result.failure
        if let checksumStart { attempt.startDate = clock.timestamp(of: checksumStart) }
        checksumStart = nil
        trace.add(attempt, result)
    }

    /// Takes back an attempt that had no interface to begin over.
    mutating func retract(_ result: AttemptResult) {
        failure = result.failure
        // What an earlier run has left was found all the same.
        if let resume = result.resume { partial = resume.partial }
        guard checksumStart == nil else { return }
        count.retract()
    }

    /// Waits for an interface that it may use, or for power; an attempt that was ended for want of
    /// it counts as none.
    ///
    /// A wait that was looked up in between goes on.
    mutating func hold(
        for reason: TaskRecord.Attempt.WaitReason,
        _ failure: TransferFailure,
        since now: MonotonicTime,
        goesOn: Bool
    ) {
        self.failure = failure
        stage = .waiting
        if !goesOn { count.forgive() }
        waits.hold(for: reason, since: now, continues: goesOn)
    }

    /// Whether a wait for an interface could help.
    func isInTime(_ now: MonotonicTime) -> Bool { deadline.map { now < $0 } ?? true }

    /// What it waits for; nil while it does not.
    var awaited: TaskRecord.Attempt.WaitReason? { stage == .waiting ? waits.reason : nil }

    /// Keeps of an attempt that nobody waits for any longer that it was cancelled.
    ///
    /// Nobody knows how far it came: the server may have acted on the request.
    mutating func abandon(_ clock: RunClock, _ now: MonotonicTime) {
        guard stage == .running, number > 0 else { return }
        var result = AttemptResult(
            key: spec.index,
            startTime: handoverTime ?? now,
            endTime: now,
            currentRequest: trace.last?.currentRequest ?? request.sent
        )
        result.failure = TransferFailure(kind: .cancelled, phase: .finish, detail: "")
        end(result, clock)
    }

    /// Takes the checksums that the running attempt has fetched; its next request is for the file.
    mutating func take(_ list: ChecksumList, from result: AttemptResult) {
        checksums = list
        checksumStart = result.startTime
        trace.addExchanges(of: result)
    }

    /// Whether another attempt may begin.
    func hasTime(_ now: MonotonicTime) -> Bool {
        retryLimit.map { now < $0 } ?? true
    }

    /// Waits for the next attempt.
    mutating func wait(_ reason: TaskRecord.Attempt.WaitReason, since now: MonotonicTime) {
        stage = .waiting
        waits.wait(reason, since: now)
    }

    /// Whether nobody will know whether the server has acted on a request that it must not get
    /// twice.
    func leavesOutcomeUnknown(_ failure: TransferFailure) -> Bool {
        if failure.isOutcomeUnknown { return true }
        // Whatever the last try has met: without its last byte an upload is none, and a later run
        // asks how much there is.
        if let upload {
            return !upload.isKept && upload.mayBeComplete && !upload.isRepeatable
        }
        return RetryDecision.leavesOutcomeUnknown(failure, of: request, under: spec.retry)
    }

    /// The record of the task, complete but for its error.
    mutating func record(_ outcome: TaskOutcome, _ clock: RunClock, _ now: MonotonicTime)
        -> TaskRecord
    {
        waits.endHold(now)
        var record = trace.record(
            of: spec,
            sent: request,
            outcome,
            session: heading.sessionName,
            required: heading.isRequired,
            from: heading.startDate,
            to: clock.timestamp(of: now)
        )
        record.isKeyReused = key?.isReused
        if waits.held > .zero { record.heldMicroseconds = waits.held.microseconds }
        if presence == .right { record.voucher = .checksum }
        record.earlier = count.earlierAttempts.map { TaskRecord.Earlier(attempts: $0, end: nil) }
        return record
    }
}

extension TransferFailure {
    /// Whether no connection came about, so that the host's name may stand for other addresses by
    /// now.
    var isOfConnecting: Bool { phase == .connect || phase == .tls }
}
