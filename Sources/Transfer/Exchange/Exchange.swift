internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The running exchange of an attempt: receives the events of its easy handle, records them, and
/// asks the policies about them.
///
/// `Attempt` begins one exchange after the other on the same handle. Lives on its engine's thread.
final class Exchange {
    /// Held by reference: a failure is large, and nearly no exchange has one.
    private final class KeptFailure {
        let failure: TransferFailure
        init(_ failure: TransferFailure) { self.failure = failure }
    }

    let request: AttemptRequest
    let handle: EasyHandle
    let session: SessionTransport
    /// The values that the engine's threads share.
    let context: EngineContext
    let startTime: MonotonicTime
    var watch: ActivityWatch
    /// The request of the current hop.
    var hop: RequestSpec
    var carriesBody: Bool
    /// How the hop's request is sent.
    var sent = SentRequest()
    /// The redirects that led to the hop.
    var redirects = RedirectTrail()
    /// nil for a body that is in memory.
    var body: (any RequestBody)?
    var recorder: TransactionRecorder
    /// The received part of the response.
    var response = ResponseIntake()
    var checks: [TaskRecord.Check] = []
    private var keptFailure: KeptFailure?
    /// nil when the session or the task has no cache.
    let caching: CachedExchange?
    /// Resumes and keeps parts of the file.
    var part: PartPolicy
    /// nil when the body would be sent anew after a cut.
    var upload: ActiveUpload?
    /// Decides on the way by a proxy.
    var proxy = ProxyPolicy()
    /// nil when the session has no credentials.
    var authentication: Authentication?
    /// Whether the body waits for an answer to the head.
    var bodyHold = BodyHold()
    /// Over which connection, and in which version of HTTP, the hop's request leaves.
    var connection: ConnectionPolicy
    /// The conversation over the connection, once it is open.
    var conversation: RunningConversation?
    /// The body of a URL without a server, while it is read.
    var local: LocalBody?
    /// Decides on the exchange's way; nil where every interface will do.
    var path: PathPolicy?

    init(
        _ request: consuming AttemptRequest,
        handle: EasyHandle,
        session: SessionTransport,
        context: EngineContext,
        keeper: PartialKeeper,
        now: MonotonicTime
    ) {
        self.handle = handle
        self.session = session
        self.context = context
        part = PartPolicy(keeper, session, context.clock, startTime: now)
        startTime = now
        hop = request.request
        carriesBody = request.body != nil
        connection = ConnectionPolicy(resolvesAnew: request.resolvesAnew)
        let credentials = session.configuration.credentials
        authentication =
            credentials.isEmpty || request.stream != nil || hop.url.isOfFileServer
            ? nil : Authentication(credentials, sendsItself: request.webSocket != nil)
        // A stream has no version of HTTP that the server could choose.
        if request.webSocket != nil || request.stream != nil { connection.keepToHTTP1() }
        caching = CachedExchange.make(for: request, of: session)
        recorder = TransactionRecorder(
            attempt: request.number,
            reason: request.reason,
            method: hop.method,
            url: request.stream == nil ? hop.url.text : StreamSpec.address(hop.url.text),
            clock: context.clock,
            now: now
        )
        watch = ActivityWatch(
            idleLimit: request.timeoutInterval,
            minimumRate: session.configuration.minimumRate,
            deadline: request.deadline,
            now: now
        )
        // Last, so that it is moved and not copied.
        self.request = request
    }

    /// The final head; nil until it is whole.
    var head: ResponseHead? { response.head }
    /// nil until the head is judged.
    var verdict: ResponseVerdict? { response.verdict }

    // MARK: - Failures

    /// Why the attempt fails; libcurl's code then only says that a callback ended the transfer.
    var failure: TransferFailure? { keptFailure?.failure }
    /// Whether the attempt fails: cheaper than `failure`.
    var hasFailed: Bool { keptFailure != nil }

    /// Notes why the attempt fails, in place of an earlier failure.
    func fail(_ failure: TransferFailure) { keptFailure = KeptFailure(failure) }

    /// Forgets the failure, because a stored response answers.
    func forgetFailure() { keptFailure = nil }

    /// Notes the results of checks.
    func note(_ findings: Findings) {
        checks += findings.checks
        if let failure = findings.failure { fail(failure) }
    }

    /// Records that a refused response was cut: the first check, that the response is whole, fails.
    func noteCutRefusal(_ kind: TransferFailure.Kind) {
        guard checks.first?.check == .clientError else { return }
        checks = [TaskRecord.Check(.clientError, passed: false, actual: kind.label)]
    }

    /// The failure of an exchange without a permitted path.
    func failure(of fault: PathPolicy.Fault?) -> TransferFailure {
        TransferFailure(
            fault,
            to: peer.host,
            phase: recorder.phase,
            isKnownUnprocessed: !recorder.hasSentAnything,
            isOfWholeSession: path?.isClosed ?? false
        )
    }

    // MARK: - Records

    /// Begins the record of the hop's next request.
    func beginRecord(_ reason: TransactionMetrics.Reason, at now: MonotonicTime) {
        recorder.begin(reason: reason, method: hop.method, url: reportedURL, at: now)
    }

    // MARK: - Time

    /// Notes that something moved, and returns the time.
    func move(bytes count: Int = 0, at now: MonotonicTime = .now) -> MonotonicTime {
        watch.didMove(bytes: count, at: now)
        return now
    }

    /// Whether the session has a limit of bandwidth.
    var isPaced: Bool { context.sessions[request.session].bandwidth != nil }

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
            body: body
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
    var isStuck: Bool { head == nil && body?.isWaiting == true && sent.file == nil }

    /// Continues to send, because the body has bytes or has ended.
    func resumeBody() throws(CurlCode) {
        body?.wake()
        try handle.resume()
    }
}
