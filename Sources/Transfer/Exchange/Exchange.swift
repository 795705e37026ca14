internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The running exchange of an attempt: receives the events of its easy handle, records them, and
/// asks the policies about them.
///
/// `Attempt` begins one exchange after the other on the same handle. Lives on its engine's thread.
final class Exchange {
    let request: AttemptRequest
    let handle: EasyHandle
    let session: SessionTransport
    var watch: ActivityWatch
    /// The request of the current hop.
    var hop: RequestSpec
    /// How the hop's request is sent.
    var sent = SentRequest()
    /// The body of the request, which the hop may carry.
    var body: OutgoingBody
    var recorder: TransactionRecorder
    /// The received part of the response.
    var response = ResponseIntake()
    /// The checks so far, and why the attempt fails.
    var outcome = AttemptOutcome()
    var policies: ExchangePolicies
    /// The kind of peer that answers the exchange.
    var kind: ExchangeKind

    init(
        _ request: consuming AttemptRequest,
        handle: EasyHandle,
        session: SessionTransport,
        keeper: PartialKeeper,
        pace: ExchangePace?,
        now: MonotonicTime
    ) {
        self.handle = handle
        self.session = session
        policies = ExchangePolicies(for: request, of: session, keeper: keeper, pace: pace, at: now)
        hop = request.request
        kind =
            hop.url.isOfFileServer
            ? .fileServer(FileTransfer(for: request, in: session.configuration)) : .http
        body = OutgoingBody(of: request)
        recorder = TransactionRecorder(
            attempt: request.number,
            reason: request.reason,
            method: hop.method,
            url: request.stream == nil ? hop.url.text : StreamSpec.address(hop.url.text),
            clock: session.context.clock,
            now: now
        )
        watch = ActivityWatch(
            idleLimit: request.timeoutInterval?.duration,
            minimumRate: session.configuration.minimumRate,
            deadline: request.deadline,
            now: now
        )
        // Last, so that it is moved and not copied.
        self.request = consume request
    }

    /// The conversation over the connection or with the program, once it has begun.
    var conversation: RunningConversation? {
        switch kind {
        case .conversation(let conversation), .program(let conversation): conversation
        case .http, .local, .fileServer: nil
        }
    }

    /// The transfer at a file server; nil for another kind of server.
    var file: FileTransfer? {
        if case .fileServer(let file) = kind { file } else { nil }
    }

    /// The final head; nil until it is whole.
    var head: ResponseHead? { response.head }
    /// nil until the head is judged.
    var verdict: ResponseVerdict? { response.verdict }

    /// The values that the engine's threads share.
    var context: EngineContext { session.context }

    // MARK: - Failures

    var failure: TransferFailure? { outcome.failure }
    var hasFailed: Bool { outcome.hasFailed }

    /// Notes why the attempt fails, in place of an earlier failure.
    func fail(_ failure: TransferFailure) { outcome.fail(failure) }

    /// Notes the results of checks.
    func note(_ findings: Findings) { outcome.note(findings) }

    /// The failure of an exchange without a permitted path.
    func failure(of fault: PathFault?) -> TransferFailure {
        TransferFailure(
            fault,
            to: peer.host,
            phase: recorder.phase,
            isKnownUnprocessed: !recorder.hasSentAnything,
            isOfWholeSession: policies.path?.isClosed ?? false
        )
    }

    // MARK: - Records

    /// Begins the record of the hop's next request.
    func beginRecord(_ reason: TransactionMetrics.Reason, at now: MonotonicTime) {
        recorder.begin(reason: reason, method: hop.method, url: reportedURL, at: now)
    }

    /// Notes how many body bytes the running request has sent.
    func noteSent() {
        guard let upload = policies.upload, body.isCarried, !policies.bodyHold.lacksBody else {
            return
        }
        upload.didSend(
            recorder.sentBodyBytes,
            isRequestSent: recorder.isRequestSent,
            isBuffered: hop.url.origin.scheme == .https || policies.proxy.route != nil
        )
    }

    /// Makes room for the response of another exchange, and for its checks.
    func forgetResponse() {
        response.reset()
        outcome.forgetChecks()
        policies.caching?.forgetResponse()
    }

    // MARK: - Time

    /// Notes that something moved, and returns the time.
    func move(bytes count: Int = 0, at now: MonotonicTime = .now) -> MonotonicTime {
        watch.didMove(bytes: count, at: now)
        return now
    }

    /// Notes that the transfer has waited for its turn under the session's bandwidth.
    func didWait(_ duration: Duration, until now: MonotonicTime) {
        watch.resume(at: now)
        recorder.didWaitForBandwidth(duration)
    }

    /// Ends the exchange's part in the session's bandwidth.
    func endPace() { policies.pace?.end(for: self) }

    /// The failure of an exchange that has exceeded one of its time limits; nil while it has not.
    func overdue(at now: MonotonicTime) -> TransferFailure? {
        // A conversation has limits of its own for silence.
        watch.check(at: now) { conversation == nil ? socketProgress : nil }.map(timeout)
    }

    /// The failure of an exchange that has exceeded a time limit.
    func timeout(_ verdict: ActivityWatch.Verdict) -> TransferFailure {
        recorder.stage.timeout(
            verdict,
            of: session.configuration,
            timeoutInterval: request.timeoutInterval,
            body: body.reader
        )
    }

    /// The kernel's progress of the connection; nil if it does not apply to this exchange alone.
    ///
    /// The framing of chunks is no part of the body, so only libcurl knows the progress of a
    /// chunked body. A connection with streams has other exchanges.
    private var socketProgress: SocketProgress? {
        guard head == nil || !response.parser.framing.isChunked else { return nil }
        guard recorder.hasBegunRequest else {
            return handle.newestOpening.flatMap(session.progress)
        }
        guard !handle.hasStreams else { return nil }
        return recorder.record.connectionIdentifier.flatMap(session.progress)
    }

    /// Whether the watch of the thread has reset the exchange's connection.
    var isCut: Bool {
        handle.hasCutConnection
            || recorder.record.connectionIdentifier.map(session.hasCut) == true
    }

    /// Whether the exchange waits for its body while its connection can bring nothing more.
    ///
    /// At a file server libcurl may wait for no socket while the body pauses.
    var isStuck: Bool { head == nil && body.isWaiting && file == nil }

    /// Continues to send, because the body has bytes or has ended.
    func resumeBody() throws(CurlCode) {
        body.reader?.wake()
        try handle.resume()
    }
}

/// How the running exchange's request is sent, besides the hop's own fields.
struct SentRequest {
    /// Whether libcurl reports received bytes; otherwise the delivered bytes count as received.
    var hearsTraffic = true
    /// The `Cookie` that the session has added.
    var cookies: String?
    /// Whether the next exchange is the same request with the answer to a challenge.
    var answersChallenge = false
    /// Whether the running exchange has begun with the answer to a challenge.
    private(set) var hasAnsweredChallenge = false

    /// The next exchange begins; only this one answers the last challenge.
    mutating func takeAnswersChallenge() -> Bool {
        hasAnsweredChallenge = answersChallenge
        answersChallenge = false
        return hasAnsweredChallenge
    }
}

/// The kind of peer that answers an exchange, with the state that only this kind has.
enum ExchangeKind {
    /// libcurl's server of HTTP, or no peer yet. Next states: `local`, `conversation`, `program`.
    case http
    /// A URL without a server, whose body is being read.
    case local(LocalBody)
    /// A server of FTP or SFTP.
    case fileServer(FileTransfer)
    /// The peer of an open connection. Next: `http`, when the peer has opened no WebSocket.
    case conversation(RunningConversation)
    /// The program of a custom scheme. Next: `http`.
    case program(RunningConversation)
}

/// The checks of an attempt so far, and why the attempt fails.
struct AttemptOutcome {
    /// Held by reference: a failure is large, and nearly no exchange has one.
    private final class KeptFailure {
        let failure: TransferFailure
        init(_ failure: TransferFailure) { self.failure = failure }
    }

    private(set) var checks: [TaskRecord.Check] = []
    private var kept: KeptFailure?

    /// Why the attempt fails; libcurl's code then only says that a callback ended the transfer.
    var failure: TransferFailure? { kept?.failure }
    /// Whether the attempt fails: cheaper than `failure`.
    var hasFailed: Bool { kept != nil }

    /// Notes why the attempt fails, in place of an earlier failure.
    mutating func fail(_ failure: TransferFailure) { kept = KeptFailure(failure) }

    /// Notes the results of checks.
    mutating func note(_ findings: Findings) {
        add(findings.checks)
        if let failure = findings.failure { fail(failure) }
    }

    /// Forgets the failure, because something else than the failed exchange answers.
    mutating func forgetFailure() { kept = nil }

    /// Notes checks that ran.
    mutating func add(_ found: [TaskRecord.Check]) {
        // Without a copy for the first checks.
        if checks.isEmpty { checks = found } else { checks += found }
    }

    /// Forgets the checks of a response that is not the result.
    mutating func forgetChecks() { checks = [] }

    /// Records that a refused response was cut: the first check, that the response is whole, fails.
    mutating func noteCutRefusal(_ kind: TransferFailure.Kind) {
        guard checks.first?.check == .clientError else { return }
        checks = [TaskRecord.Check(.clientError, passed: false, actual: kind.label)]
    }
}
