import SystemKit
import Transfer
import TransferModel

/// What is kept of a task from its start to its end.
///
/// A class, because it is large and changes in place: `RunMachine.active` is its only lasting owner.
final class ActiveTask {
    /// Legal next stages stand behind each.
    enum Stage {
        /// Asks whether the destination is there. Next: `running`, `awaitingChecksums`, or the end.
        case checking
        /// Until another task has fetched the checksums. Next: `queued`, or the end.
        case awaitingChecksums
        /// An attempt is with the runner. Next: `waiting`, or the end.
        case running
        /// Until the next attempt is due. Next: `queued`, or the end.
        case waiting
        /// Due, and waits for a place at its host. Next: `running`, `awaitingChecksums`, or the end.
        case queued
    }

    /// How much further an attempt must at most bring a file so that it counts as progress, bytes.
    private static let leastProgress: Int64 = 1 << 20

    let spec: TaskSpec
    /// What is asked for, with the idempotency key that was made for it.
    let request: RequestSpec
    /// Whether an idempotency key was made for it.
    let hasMadeKey: Bool
    /// What the files of the body were then.
    private let bodyFiles: [InputFile.Identity]
    /// The session's connections to the origin of the URL that is asked.
    private(set) var lane: HostLanes.Lane
    /// When the task's life is over, whatever it does: the session's `timeoutIntervalForResource`.
    let deadline: MonotonicTime?
    /// When no attempt may begin any more: the deadline or the end of the retry budget.
    let retryLimit: MonotonicTime?
    private(set) var stage = Stage.checking
    /// Of the attempt that runs, or of the last one; 0 before the first.
    private(set) var number = 0
    /// Whether an attempt was handed to the runner.
    private(set) var hasBegun = false
    /// Whether it was told that it waits for an interface.
    var isKnownToWait = false
    /// How the last attempt failed.
    private(set) var failure: TransferFailure?

    /// nil for a task without mirrors.
    private(set) var mirrors: MirrorRotation?
    /// The last failure of a URL that may answer when it is asked again; kept for tasks with mirrors.
    private(set) var recoverable: TransferFailure?
    /// What the file's checksum is looked up in.
    var checksums: ChecksumList?
    /// Whether it is this task that fetches them.
    var fetchesChecksums = false
    /// What the last attempt has left of the file.
    private var partial: PartialDownload?
    /// What it has left of the upload.
    private var upload: PartialUpload?
    /// How many attempts earlier runs have made; nil when it begins now.
    private let earlierAttempts: Int?
    /// Attempts of earlier runs that count as if they were of this one.
    private var earlierFailures: Int
    /// Whether the file was not asked for yet.
    private var isFirstForFile = true
    /// How many attempts there were before the one that brought the file further than any other, and how far.
    private var progress = (attempts: 0, size: Int64(0))
    /// How many attempts count towards `retry.attempts`, those of earlier runs too.
    var failures: Int { earlierFailures + number - progress.attempts }
    /// When the attempt that runs was handed to the runner.
    private var handoverTime: MonotonicTime?
    /// When the attempt that runs began, if it began with fetching the checksums and has them now.
    private var checksumStart: MonotonicTime?
    private let sessionName: String
    private let sessionIdentifier: String?
    private let isRequired: Bool
    private let startDate: Timestamp
    /// What the attempts have left.
    private let trace: AttemptTrace
    /// Whether an attempt has met an answer that broke HTTP's rules.
    private var hasBrokenFraming = false
    private var waitStart: MonotonicTime?
    private var waitReason: TaskRecord.Attempt.WaitReason?
    /// How long the attempt that runs was waited for.
    private var waited: Duration = .zero

    /// A task that begins now.
    ///
    /// - Parameters:
    ///   - spec: All of its settings.
    ///   - key: The idempotency key that was made for it; nil without one.
    ///   - earlier: What earlier runs have left of it; nil when it begins now.
    ///   - session: Its session.
    ///   - lane: Its place at the origin that is asked first.
    ///   - isRequired: Whether its failure is the run's.
    ///   - clock: Dates the record.
    ///   - now: The present.
    init(
        _ spec: TaskSpec,
        key: OrderKey? = nil,
        earlier: EarlierTransfer? = nil,
        session: SessionConfiguration,
        lane: HostLanes.Lane,
        isRequired: Bool,
        clock: RunClock,
        now: MonotonicTime
    ) {
        let interval = session.timeoutIntervalForResource
        let remaining = earlier.map { $0.remaining(of: interval, at: clock.timestamp(of: now)) }
        let deadline = (remaining ?? interval).map { now + $0 }
        earlierAttempts = earlier?.attempts
        earlierFailures = earlier?.failures ?? 0
        let budgetEnd = spec.retry.budget.map { now + $0 }
        self.deadline = deadline
        retryLimit = budgetEnd.map { min($0, deadline ?? $0) } ?? deadline
        self.lane = lane
        sessionName = session.name
        sessionIdentifier = session.identifier
        self.isRequired = isRequired
        startDate = clock.timestamp(of: now)
        if !spec.mirrors.isEmpty { mirrors = MirrorRotation(mirrors: spec.mirrors.count) }
        self.spec = spec
        request = key.map { spec.request.keyed($0.text) } ?? spec.request
        bodyFiles = key?.files ?? []
        hasMadeKey = key != nil
        trace = AttemptTrace(key: key)
    }

    /// Begins the next attempt, or goes on with one that has fetched the checksums.
    func begin(_ now: MonotonicTime) -> AttemptRequest {
        stage = .running
        hasBegun = true
        handoverTime = now
        if checksumStart == nil {
            number += 1
            waited = waitStart.map { now - $0 } ?? .zero
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
            bodyFiles: bodyFiles,
            sink: spec.destination.map { .file($0) } ?? .memory,
            expectation: spec.expectation,
            redirects: spec.redirects,
            timeoutInterval: spec.timeoutInterval,
            deadline: deadline,
            // A second try must not meet the connection on which the first one failed.
            requiresFreshConnection: number > 1 || isUnsafe,
            reason: isNewMirror ? .mirror : number > 1 ? .retry : .initial,
            decodesBody: spec.decodesBody,
            isDownload: spec.kind == .download,
            checksums: checksums,
            partial: partial,
            access: spec.access,
            upload: spec.uploadResume == .nothing
                ? nil
                : AttemptRequest.Upload(
                    id: SessionConfiguration.uploadName(of: spec.id, in: sessionIdentifier),
                    isKept: spec.uploadResume == .acrossRuns,
                    mayReplace: earlierAttempts == nil || !isUnsafe
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

    /// What its request makes of stored responses; nil for a download that nothing is said of, which is fetched.
    private var cachePolicy: RequestCachePolicy? {
        if let policy = spec.cachePolicy { return policy }
        let isPlainDownload =
            spec.kind == .download && spec.destination?.ifExists != .revalidate
            && spec.request.method == "GET"
        return isPlainDownload ? nil : .useProtocolCachePolicy
    }

    /// Keeps what an attempt has left.
    func end(_ result: AttemptResult, _ clock: RunClock) {
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
        }
        attempt.resumedFrom = result.resume?.resumedFrom ?? result.resume?.upload?.resumedFrom
        partial = result.resume?.partial
        upload = result.resume?.upload?.partial
        attempt.omittedExchanges = result.omittedTransactions
        attempt.waitedMicroseconds = waited.microseconds
        attempt.waitReason = waitReason
        failure = result.failure
        if let checksumStart { attempt.startDate = clock.timestamp(of: checksumStart) }
        checksumStart = nil
        trace.add(attempt, result)
    }

    /// Takes back an attempt that had no interface to begin over.
    func retract(_ result: AttemptResult) {
        failure = result.failure
        // What an earlier run has left was found all the same.
        if let resume = result.resume { partial = resume.partial }
        guard checksumStart == nil else { return }
        number -= 1
    }

    /// Waits for an interface that it may use; an attempt that was ended for want of one counts as none.
    ///
    /// A wait that was looked up in between goes on.
    func awaitConnectivity(since now: MonotonicTime, goesOn: Bool) {
        stage = .waiting
        if !goesOn { progress.attempts += 1 }
        if !goesOn || waitReason != .connectivity { waitStart = now }
        waitReason = .connectivity
    }

    /// Whether it waits for an interface.
    var awaitsConnectivity: Bool { stage == .waiting && waitReason == .connectivity }

    /// Keeps of an attempt that nobody waits for any longer that it was cancelled.
    ///
    /// Nobody knows how far it came: the server may have acted on the request.
    func abandon(_ clock: RunClock, _ now: MonotonicTime) {
        guard stage == .running else { return }
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
    func take(_ list: ChecksumList, from result: AttemptResult) {
        checksums = list
        checksumStart = result.startTime
        trace.addExchanges(of: result)
    }

    /// Chooses the next URL after a failed attempt, which would be treated so if there were no other.
    ///
    /// nil when no other is asked: there is none, the fault is not the server's, or nothing may be sent twice.
    func moveOn(
        after failure: TransferFailure,
        _ decision: RetryDecision
    ) -> MirrorRotation.Step? {
        guard mirrors != nil, missingChecksums == nil, spec.retry.repeat != .never,
            ![.cancelled, .localIO, .engine].contains(failure.kind),
            !RetryDecision.leavesOutcomeUnknown(failure, of: request, under: spec.retry)
        else { return nil }
        let canRecover =
            switch decision {
            case .giveUp(.notRetried), .giveUp(.retryAfterTooLong): false
            default: true
            }
        if canRecover { recoverable = failure }
        let step = mirrors?.moveOn(canRecover: canRecover)
        lane.origin = url.origin
        return step
    }

    /// Whether another attempt may begin.
    func hasTime(_ now: MonotonicTime) -> Bool {
        retryLimit.map { now < $0 } ?? true
    }

    /// The URL that is asked.
    private var url: HTTPURL {
        guard let mirrors, mirrors.current > 0 else { return spec.request.url }
        return spec.mirrors[mirrors.current - 1]
    }

    /// Is to ask a mirror, and waits for a place there.
    func queue(forMirrorSince now: MonotonicTime) {
        stage = .queued
        waitStart = now
        waitReason = nil
    }

    /// Waits for the next attempt.
    func wait(_ reason: TaskRecord.Attempt.WaitReason, since now: MonotonicTime) {
        stage = .waiting
        waitStart = now
        waitReason = reason
    }

    /// Waits on, because the origin is paused for other tasks too.
    func waitForOrigin() {
        waitReason = .originPaused
    }

    /// Is due, and waits for a place at its host.
    func queue() {
        stage = .queued
    }

    /// Waits until another task has fetched the checksums.
    func awaitChecksums() {
        stage = .awaitingChecksums
    }

    /// What the decision on another attempt needs to know besides the failure; to be asked before `end`.
    ///
    /// - Parameters:
    ///   - result: The attempt's.
    ///   - wall: What the wall clock reads, as far as is known.
    ///   - now: The present.
    /// - Returns: What is known.
    func history(
        after result: AttemptResult,
        wall: Timestamp,
        _ now: MonotonicTime
    ) -> RetryDecision.History {
        noteProgress(result.resume)
        return RetryDecision.History(
            attempts: failures,
            remaining: retryLimit.map { $0 - now },
            hasBrokenFraming: hasBrokenFraming,
            wasResumed: result.resume?.resumedFrom != nil,
            leavesUpload: result.resume?.upload?.partial != nil,
            retryAfter: (result.response ?? result.proxyResponse).flatMap {
                RetryAfter.wait(in: $0.fields, now: wall)
            }
        )
    }

    /// Attempts are counted anew from one that has brought the file further by a MiB or a hundredth, or has found an upload
    /// to be: a server that cuts every transfer does not keep it from becoming whole.
    ///
    /// Who begins anew, because the file has changed, is no further, however much has come.
    private func noteProgress(_ resume: ResumeOutcome?) {
        if let upload = resume?.upload?.partial {
            // What the server says that it has, which is known when it was asked again.
            noteProgress(to: upload.confirmed, of: upload.total)
        } else if let resume, let partial = resume.partial,
            resume.resumedFrom != nil || progress.size == 0
        {
            noteProgress(to: partial.size, of: partial.total)
        }
    }

    private func noteProgress(to size: Int64, of total: Int64) {
        guard size - progress.size >= max(1, min(Self.leastProgress, total / 100)) else { return }
        progress = (number - 1, size)
        earlierFailures = 0
    }

    /// Whether nobody will know whether the server has acted on a request that it must not get twice.
    func leavesOutcomeUnknown(_ failure: TransferFailure) -> Bool {
        // Without its last byte an upload is none, and a later run asks how much there is.
        if let upload, upload.isKept || !upload.mayBeComplete { return false }
        return RetryDecision.leavesOutcomeUnknown(failure, of: request, under: spec.retry)
    }

    /// The record of the task, complete but for its error.
    func record(_ outcome: TaskOutcome, at date: Timestamp) -> TaskRecord {
        var record = trace.record(
            of: spec,
            outcome,
            session: sessionName,
            required: isRequired,
            from: startDate,
            to: date
        )
        record.earlier = earlierAttempts.map { TaskRecord.Earlier(attempts: $0, end: nil) }
        return record
    }
}
