internal import SystemKit
import Transfer
internal import TransferModel

/// The state of a task from its start to its end; `ActiveTasks` changes it in place.
struct ActiveTask {
    /// Each stage names the next ones; `ended` may follow every stage.
    enum Stage {
        /// The destination is looked at. Next: `running`, `awaitingChecksums`.
        case checking
        /// Another task fetches the checksums. Next: `queued`.
        case awaitingChecksums
        /// The runner has an attempt, or a file to hash. Next: `checking`, `waiting`.
        case running
        /// The next attempt is not due. Next: `queued`.
        case waiting
        /// The next attempt waits for a place at its host. Next: `running`, `awaitingChecksums`.
        case queued
        case ended
    }

    /// The fields of the record that are known when the task begins.
    private struct Heading {
        var sessionName: String
        /// nil without one.
        var sessionDescription: String?
        var priority: Double
        /// nil without one.
        var sessionIdentifier: String?
        var isRequired: Bool
        var startDate: Timestamp
    }

    let spec: TaskSpec
    /// The request, with the idempotency key that was made for it.
    let request: RequestSpec
    /// The idempotency key that was made for the request; nil without one.
    private let key: OrderKey?
    var hasMadeKey: Bool { key != nil }
    /// The session's connections to the origin of `url`.
    var lane: HostLanes.Lane
    var waits: TaskWaits
    /// When the task ends in any case: the session's `timeoutIntervalForResource`.
    var deadline: MonotonicTime? { waits.deadline }
    /// Whether the time of the task is over, also for later runs that would continue it.
    func isOutOfTime(at now: MonotonicTime) -> Bool { deadline.map { now >= $0 } ?? false }
    /// When no attempt may begin any more.
    var retryLimit: MonotonicTime? { waits.retryLimit }
    var stage = Stage.checking
    var count: AttemptCount
    /// The number of the attempt that runs, or of the last one; 0 before the first.
    var number: Int { count.number }
    /// Whether the runner has had an attempt.
    private(set) var hasBegun = false
    /// How often the network had changed when the last attempt began.
    var changesAtStart = 0
    /// Whether the next attempt is the first of a round through the URLs.
    var isNewRound = true
    /// Whether an event has reported that the task waits for an interface or for power.
    var isKnownToWait = false
    /// The failure of the last attempt.
    private(set) var failure: TransferFailure?

    /// nil for a task without mirrors.
    var mirrors: MirrorRotation?
    /// The list that has the file's checksum.
    var checksums: ChecksumList?
    /// Whether this task fetches the list.
    var fetchesChecksums = false
    var presence = Presence.unknown
    /// Whether an event has reported that the task has begun.
    var isAnnounced = false
    /// The part of the file that the last attempt has left.
    private var partial: PartialDownload?
    /// The upload that the last attempt has left.
    private var upload: PartialUpload?
    /// Whether no attempt has requested the file yet.
    private var isFirstForFile = true
    /// When the runner got the attempt that runs.
    private var handoverTime: MonotonicTime?
    /// When the attempt that runs began, if it has fetched the checksums already.
    private var checksumStart: MonotonicTime?
    private let heading: Heading
    private var trace: AttemptTrace
    /// The exchanges of the last attempt that has ended.
    var lastExchanges: [TransactionMetrics] { trace.last?.result.transactions ?? [] }
    /// Whether a file with parts of several servers may still be correct: no checksum was wrong
    /// yet.
    private(set) var mayJoinParts = true
    /// Whether a response to an attempt broke HTTP's rules.
    var hasBrokenFraming = false

    /// A task before its first attempt, in its place at the origin of its first URL.
    ///
    /// Only the memberwise initializer makes so large a value without a copy. `hold` or, since
    /// `pausedSince`, a pause of its origin alone has kept the task back, or since `pacedSince` its
    /// session's limit of requests.
    static func begun(
        _ spec: TaskSpec,
        key: OrderKey? = nil,
        earlier: EarlierTransfer? = nil,
        hold: ClosedPaths.Hold? = nil,
        pausedSince: MonotonicTime? = nil,
        pacedSince: MonotonicTime? = nil,
        session: SessionTraits,
        lane: HostLanes.Lane,
        isRequired: Bool,
        priority: Double = 0.5,
        clock: RunClock,
        now: MonotonicTime
    ) -> ActiveTask {
        let interval = session.timeLimit
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
                pausedSince: pausedSince,
                pacedSince: pacedSince
            ),
            count: AttemptCount(
                earlierAttempts: earlier?.attempts,
                earlierFailures: earlier?.failures ?? 0
            ),
            mirrors: spec.mirrors.isEmpty ? nil : MirrorRotation(mirrors: spec.mirrors.count),
            heading: Heading(
                sessionName: session.name,
                sessionDescription: session.description,
                priority: priority,
                sessionIdentifier: session.identifier,
                isRequired: isRequired,
                startDate: startDate
            ),
            trace: AttemptTrace()
        )
    }

    /// Begins the next attempt, or continues one that has fetched the checksums.
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
        let isAtMirror = mirrors.map { $0.current > 0 } ?? false
        let isNewMirror = isAtMirror && mirrors?.isFirstTry == true
        var attempt = AttemptRequest(
            key: spec.index,
            session: spec.session,
            number: number,
            request: isAtMirror ? request.directed(to: url) : request,
            body: spec.body,
            sink: (isAtMirror ? destination?.atMirror : destination).map { .file($0) } ?? .memory,
            expectation: spec.webSocket?.expectation ?? spec.expectation,
            redirects: spec.redirects,
            timeoutInterval: spec.timeoutInterval,
            deadline: deadline,
            reason: isNewMirror ? .mirror : number > 1 ? .retry : .initial,
            webSocket: spec.webSocket,
            stream: spec.stream
        )
        complete(&attempt)
        return consume attempt
    }

    private func complete(_ attempt: inout AttemptRequest) {
        if let key { attempt.bodyFiles = key.files }
        // A second try must not use the connection on which the first one failed.
        attempt.requiresFreshConnection =
            number > 1 || resending.requiresFreshConnection(for: request)
        attempt.resending = resending
        attempt.resolvesAnew = failure?.isOfConnecting ?? false
        attempt.decodesBody = spec.decodesBody
        attempt.isDownload = spec.kind == .download
        attempt.checksums = checksums
        attempt.partial = partial
        attempt.access = spec.access
        if spec.uploadResume != .nothing { attempt.upload = wantedUpload }
        attempt.cachePolicy = cachePolicy
        attempt.ignoresStored = failure?.isAboutContent ?? false
        attempt.looksForPart = isFirstForFile
        if let mirrors { attempt.nextMirrors = Array(spec.mirrors.dropFirst(mirrors.triedMirrors)) }
        attempt.mixesMirrors = mayJoinParts
        attempt.mixedReplace = spec.mixedReplace
    }

    /// The upload that may replace or continue an earlier one.
    private var wantedUpload: AttemptRequest.Upload {
        let isUnsafe = !request.isIdempotent && !request.hasIdempotencyKey
        let mayRepeat = spec.retry.repeat == .always
        return AttemptRequest.Upload(
            id: SessionConfiguration.uploadName(of: spec.id, in: heading.sessionIdentifier),
            isKept: spec.uploadResume == .acrossRuns,
            mayReplace: count.earlierAttempts == nil || !isUnsafe || mayRepeat,
            mayRepeat: mayRepeat,
            partial: upload
        )
    }

    /// Which of its requests may be sent twice within an attempt.
    var resending: AttemptRequest.Resending {
        if spec.retry.repeat == .never { return .none }
        return spec.retry.attempts == 1 ? .safe : .idempotent
    }

    /// The cache policy of the request; nil for a plain download, which is always fetched.
    private var cachePolicy: RequestCachePolicy? {
        // No response to an opening handshake is stored.
        if spec.webSocket != nil { return nil }
        if spec.stream != nil { return nil }
        // A lock file has the files that the servers have now.
        if spec.destination?.lock == .making { return nil }
        if let policy = spec.cachePolicy { return policy }
        let isPlainDownload =
            spec.kind == .download && spec.destination?.ifExists != .revalidate
            && spec.request.method == "GET"
        return isPlainDownload ? nil : .useProtocolCachePolicy
    }

    /// The destination; a file that was to be kept is replaced if it has another checksum.
    private var destination: TaskSpec.Destination? {
        guard presence == .different, spec.destination?.ifExists == .skip else {
            return spec.destination
        }
        return spec.destination?.replacing
    }

    /// Hands the file at the destination to the runner, which hashes it.
    mutating func beginExamination(_ now: MonotonicTime) {
        stage = .running
        presence = .examined
        handoverTime = now
        waits.endHold(now)
    }

    /// Records whether the file at the destination has its checksum.
    mutating func endExamination(_ ended: EndedAttempt, _ clock: RunClock) {
        presence = ended.result.isUnchanged ? .right : .different
        failure = ended.result.failure
        // An attempt that has fetched the checksums ends here, unless it requests the file too.
        if checksumStart != nil, ended.result.failure != nil || ended.result.isUnchanged {
            end(ended, clock)
        }
    }

    /// Keeps the results of an attempt.
    mutating func end(_ ended: EndedAttempt, _ clock: RunClock) {
        var attempt = TaskRecord.Attempt(
            number: number,
            startDate: clock.timestamp(of: ended.result.startTime),
            endDate: clock.timestamp(of: ended.result.endTime),
            outcome: .succeeded
        )
        if let failure = ended.result.failure {
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
            if failure.kind.isOfWrongBytes { mayJoinParts = false }
            if failure.kind == .network, failure.symptom != nil {
                count.failWithoutNetwork()
            }
        }
        attempt.resumedFrom =
            ended.result.resume?.resumedFrom ?? ended.result.resume?.upload?.resumedFrom
        partial = ended.result.resume?.partial
        // An attempt that sent no request keeps the earlier upload state.
        if ended.result.resume != nil || ended.result.failure == nil
            || !ended.result.transactions.isEmpty
        {
            upload = ended.result.resume?.upload?.partial
        }
        attempt.omittedExchanges = ended.result.omittedTransactions
        attempt.waitedMicroseconds = waits.waited.microseconds
        attempt.waitReason = waits.reason
        failure = ended.result.failure
        if let checksumStart { attempt.startDate = clock.timestamp(of: checksumStart) }
        checksumStart = nil
        trace.add(attempt, ended)
    }

    /// Takes back an attempt that had no interface for its first request.
    mutating func retract(_ result: AttemptResult) {
        failure = result.failure
        // The attempt has found the part that an earlier run has left.
        if let resume = result.resume { partial = resume.partial }
        guard checksumStart == nil else { return }
        count.retract()
    }

    /// Waits for a permitted interface or for power; an attempt that lacked it does not count.
    ///
    /// An attempt that could not begin continues the wait before it.
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

    /// The reason for the present wait; nil while the task does not wait.
    var awaited: TaskRecord.Attempt.WaitReason? { stage == .waiting ? waits.reason : nil }

    /// Records the abandoned attempt as cancelled; the server may have acted on its request.
    mutating func abandon(_ clock: RunClock, _ now: MonotonicTime) {
        guard stage == .running, number > 0 else { return }
        var result = AttemptResult(
            key: spec.index,
            startTime: handoverTime ?? now,
            endTime: now,
            currentRequest: trace.last?.result.currentRequest ?? request.sent
        )
        result.failure = TransferFailure(kind: .cancelled, phase: .finish, detail: "")
        end(EndedAttempt(result), clock)
    }

    /// Takes the checksums that the running attempt has fetched; it requests the file next.
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

    /// Whether the server may have acted on a request that it must not get twice, and no later
    /// request can find out.
    func leavesOutcomeUnknown(_ failure: TransferFailure) -> Bool {
        if failure.isOutcomeUnknown { return true }
        // An upload without its last byte has no effect, and a later run asks how much has arrived.
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
        return trace.record(
            of: spec,
            sent: request,
            outcome,
            session: heading.sessionName,
            required: heading.isRequired,
            from: heading.startDate,
            to: clock.timestamp(of: now),
            in: .init(
                sessionDescription: heading.sessionDescription,
                priority: heading.priority,
                earliestBeginDate: spec.earliestBeginDate?.timestamp(of: clock),
                held: waits.held,
                presentVoucher: presentVoucher,
                earlierAttempts: count.earlierAttempts,
                isKeyReused: key?.isReused
            )
        )
    }
}

extension TransferFailure {
    /// Whether no connection was made; the host's name may have other addresses by now.
    var isOfConnecting: Bool { phase == .connect || phase == .tls }
}

/// The checksums that a task has to fetch before it requests its file.
extension ActiveTask {
    /// The list with the file's checksum, until the task has it.
    var missingChecksums: SumsFile? {
        guard checksums == nil, case .listed(let list)? = spec.destination?.checksum else {
            return nil
        }
        return list
    }

    /// The key of that list in `SumsFetches`; nil when the task needs no list.
    var checksumKey: SumsFetches.Key? {
        missingChecksums.map {
            SumsFetches.Key(session: spec.session, access: spec.access, url: $0.url.text)
        }
    }

    /// The request for the list, with those fields of the task that do not describe its file.
    func checksumRequest(_ list: SumsFile) -> AttemptRequest {
        var expectation = Expectation()
        expectation.maximumSize = ChecksumList.largestSize
        let fields = spec.request.directed(to: list.url).headers.filter { field in
            let name = field.name.lowercased()
            return name != "accept" && name != "range" && !name.hasBytePrefix("if-")
                && !name.hasBytePrefix("content-")
        }
        var attempt = AttemptRequest(
            key: spec.index,
            session: spec.session,
            number: number,
            request: RequestSpec(method: "GET", url: list.url, headers: fields),
            sink: .checksums,
            expectation: expectation,
            redirects: spec.redirects,
            timeoutInterval: spec.timeoutInterval,
            deadline: deadline,
            reason: .checksums
        )
        attempt.requiresFreshConnection = number > 1
        attempt.resending = resending
        attempt.resolvesAnew = failure?.isOfConnecting ?? false
        attempt.access = spec.access
        // No list is stored.
        if spec.cachePolicy == .returnCacheDataDontLoad { attempt.cachePolicy = spec.cachePolicy }
        return attempt
    }
}
