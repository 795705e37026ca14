internal import CurlKit
internal import SystemKit
internal import TransferModel

/// One running attempt: hears what happens on its easy handle, and says what comes after each
/// exchange.
///
/// Its callbacks and what it makes of its end stand in files of their own. Lives on its engine's
/// thread. An exchange that ends in a redirect is followed by another one on the same handle.
final class Attempt {
    /// What follows the end of an exchange.
    enum Next {
        case exchange(EasyRequest)
        /// More of a stored body is to be read when others have had their turn.
        case read
        case finished(AttemptResult)
        case publish(PublicationJob)
    }

    /// Held by reference: a failure is large, and nearly no attempt has one.
    private final class KeptFailure {
        let failure: TransferFailure
        init(_ failure: TransferFailure) { self.failure = failure }
    }

    /// More of a body that nobody wants is not read.
    static let passedOverBodyLimit: Int64 = 1 << 20

    let request: AttemptRequest
    let handle: EasyHandle
    var watch: ActivityWatch
    let session: SessionTransport
    /// What the engine's threads share.
    let context: EngineContext
    let startTime: MonotonicTime
    /// The request of the current hop.
    var hop: RequestSpec
    var carriesBody: Bool
    /// How the running exchange's request is sent.
    var sent = SentRequest()
    /// The redirects that were followed.
    var redirects = RedirectTrail()
    var recorder: TransactionRecorder
    /// What the running exchange has received.
    var response = ResponseIntake()
    /// The final head of the running exchange; nil until it is whole.
    var head: ResponseHead? { response.head }
    /// nil until the head is judged.
    var verdict: ResponseVerdict? { response.verdict }
    var checks: [TaskRecord.Check] = []
    /// Decided by us inside a callback; libcurl's code then only says that a callback ended the
    /// transfer.
    var failure: TransferFailure? {
        get { keptFailure?.failure }
        set { keptFailure = newValue.map(KeptFailure.init) }
    }
    /// Whether it has failed, which is asked more often than how.
    var hasFailed: Bool { keptFailure != nil }
    private var keptFailure: KeptFailure?
    /// nil when the session or the task has no cache.
    let caching: CachedExchange?
    /// nil when nothing is gone on with and nothing is left to go on with.
    var resumption: Resumption?
    let keeper: PartialKeeper
    /// nil for a body that is in memory.
    var body: (any RequestBody)?
    /// That of a `multipart` body.
    private(set) var boundary: String?
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
        self.keeper = keeper
        startTime = now
        hop = request.request
        carriesBody = request.body != nil
        connection = ConnectionPolicy(resolvesAnew: request.resolvesAnew)
        let credentials = session.configuration.credentials
        authentication = credentials.isEmpty ? nil : Authentication(credentials)
        caching = CachedExchange.make(for: request, of: session)
        recorder = TransactionRecorder(
            attempt: request.number,
            reason: request.reason,
            method: hop.method,
            url: hop.url.text,
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

    /// The first exchange; a body that cannot be opened is a failure before anything is sent.
    func begin(_ sockets: SocketTable, _ errors: ErrorRelay) -> Next {
        do throws(SystemError) {
            try openBody(sockets, errors)
        } catch {
            failure = TransferFailure(reading: error, phase: .prepare)
            return .finished(result())
        }
        // Of what may be stored, once it is known that it is not.
        if caching == nil { beginResuming() }
        if request.upload != nil { beginUpload() }
        beginAuthentication()
        sign()
        chooseRoute()
        return failure == nil ? ask() : .finished(result())
    }

    private func openBody(_ sockets: SocketTable, _ errors: ErrorRelay) throws(SystemError) {
        switch request.body {
        case .file(let path):
            body = try SegmentedBody([.file(path: path)], files: request.bodyFiles)
        case .multipart(let parts):
            let form =
                request.upload?.partial?.boundary.map(MultipartForm.init(boundary:))
                ?? MultipartForm(for: hop.headers)
            boundary = form.boundary
            hop.headers.append(form.contentType)
            body = try SegmentedBody(form.segments(of: parts), files: request.bodyFiles)
        case .command(let arguments, let folder):
            try openStream(.command(arguments, folder: folder), sockets, errors)
        case .pipe(let path):
            try openStream(.pipe(path: path), sockets, errors)
        case .bytes, .compressed, nil: break
        }
    }

    private func openStream(
        _ source: StreamBody.Source,
        _ sockets: SocketTable,
        _ errors: ErrorRelay
    ) throws(SystemError) {
        body = try StreamBody(source, sockets: sockets, errors: errors, key: request.key)
        session.multi.tellsOfDroppedSockets = true
    }

    /// Ends the exchange with libcurl's result.
    func end(_ code: CurlCode) -> Next {
        if connection.refusedReuse.isPending, !hasFailed { return beginOnNewConnection() }
        noteSent()
        response.hasUnannouncedEnd = isUnannouncedEnd(code)
        let isEnd = code.isOK || response.isCutOff || response.hasUnannouncedEnd
        let isComplete = isEnd && head != nil
        response.isWhole =
            code.isOK
            && response.isDelimited(to: hop.method, over: handle.networkProtocolName)
        if isComplete, connection.hasUnchosenVersion,
            handle.networkProtocolName?.hasPrefix("http/1") == true
        {
            session.noteOriginWithoutALPN(hop.url.origin)
        }
        let asksForAll = resumption?.mustAskForAll == true
        let isAsked = !hasFailed && proxy.isAsked(isComplete: isComplete)
        if !hasFailed, isComplete, verdict == nil, !asksForAll, !isAsked {
            failure = proxy.refusal(at: recorder.stage)
        }
        let isGivenUp = !isComplete && mayResend(after: code)
        if !hasFailed, !isComplete, !response.isUnchanged, !isGivenUp, !isAsked, !isGivingUp {
            failure = pathFailure(code) ?? failureOfExchange(code)
        }
        if !hasFailed, isEnd, !response.isCutOff, isPerhapsCut {
            failure = ExchangeStage.missingCloseNotify
        }
        if !isEnd { noteCutRefusal(code) }
        let isFault = !isEnd && !response.isUnchanged && !isAsked
        noteFailedConnection()
        recorder.end(
            isComplete: isComplete && !asksForAll && failure?.kind != .truncated,
            protocolName: handle.networkProtocolName,
            curlCode: isFault ? code.rawValue : nil,
            osErrno: isFault ? osErrno(behind: code) : nil
        )
        var machine = machine
        machine.isAsked = isAsked
        machine.isGivenUp = isGivenUp
        machine.isCaching = caching != nil
        if machine.step == .endCaching {
            if let next = endCaching(isComplete: isComplete) { return next }
            return perform(self.machine.step)
        }
        return perform(machine.step)
    }

    /// Decides what follows an exchange whose end is recorded.
    var machine: AttemptMachine {
        AttemptMachine(
            hasFailed: hasFailed,
            asksForAll: resumption?.mustAskForAll == true,
            isGivingUp: isGivingUp,
            verdict: verdict
        )
    }

    func perform(_ step: AttemptMachine.Step) -> Next {
        switch step {
        case .answerProxy: return answerProxy()
        case .resend: return resend()
        case .startOver: return startOver()
        case .didCancelUpload: return didCancelUpload()
        case .follow: return follow()
        case .answer(let answer): return self.answer(answer)
        case .sendUnasked:
            bodyHold.didRefuse()
            hop.headers.removeAll { $0.name.lowercased() == "expect" }
            recorder.didGetRefusal()
            return exchange(.transparentRetry)
        case .proceed: return proceed()
        case .finish, .endCaching: return finish()
        }
    }

    /// Ends the attempt from outside; the handle has been taken out of its multi handle.
    func abort(_ failure: TransferFailure) -> Next {
        noteSent()
        noteFailedConnection()
        recorder.end(isComplete: false, protocolName: handle.networkProtocolName)
        // Nobody waits for it.
        if isGivingUp, !hasFailed, failure.kind != .cancelled { return didCancelUpload() }
        if case .refuse? = verdict { noteCutRefusal(failure.kind) }
        if !hasFailed { self.failure = failure }
        return caching == nil ? finish() : endCaching(isComplete: false) ?? finish()
    }

    private func noteFailedConnection() {
        guard recorder.hasUnusedConnection else { return }
        // Its name may stand for another address by now.
        if !peer.isAddress { session.unreachedHosts.insert(peer.host) }
        let remote = handle.remoteEndpoint.map {
            TransactionMetrics.Endpoint(address: $0.address, port: $0.port)
        }
        recorder.didFailToConnect(handle.connectTimes, remote: remote, at: .now)
    }

    func checkWatch(at now: MonotonicTime) -> ActivityWatch.Verdict? {
        watch.check(at: now) { socketProgress }
    }

    /// What the kernel says of the connection, as far as it is about this exchange.
    ///
    /// Bytes that frame chunks are none of the body's, so that of a chunked body libcurl's word
    /// alone counts. A connection with streams has others on it.
    private var socketProgress: SocketProgress? {
        guard head == nil || !response.parser.framing.isChunked else { return nil }
        guard recorder.hasBegunRequest else {
            return handle.newestOpening.flatMap(session.progress)
        }
        guard !handle.hasStreams else { return nil }
        return recorder.record.connectionIdentifier.flatMap(session.progress)
    }

    var progress: AttemptProgress {
        AttemptProgress(
            key: request.key,
            countOfBytesSent: recorder.sentBodyBytes,
            countOfBytesReceived: response.decoding?.codedBytes ?? recorder.deliveredBytes,
            countOfBytesExpected: request.body == nil ? response.contentLength : restToSend,
            countOfBytesResumed: resumption?.start ?? upload?.offset ?? 0
        )
    }

    /// Another exchange of the attempt.
    func exchange(_ reason: TransactionMetrics.Reason) -> Next {
        forgetResponse()
        connection.beginExchange()
        do throws(TransferFailure) {
            if carriesBody { try body?.rewind() }
        } catch {
            failure = error
            return finish()
        }
        sign()
        let now = MonotonicTime.now
        watch.willBegin(at: now)
        upload?.machine.willRepeat()
        recorder.begin(reason: reason, method: hop.method, url: reportedURL, at: now)
        chooseRoute()
        guard !hasFailed else { return finish() }
        if reason == .redirect { redirects.follow() }
        return ask()
    }

    /// Makes room for the response of another exchange.
    func forgetResponse() {
        response.reset()
        caching?.forgetResponse()
    }

    func finish() -> Next {
        if !hasFailed, let body {
            do throws(TransferFailure) { try body.verify() } catch { failure = error }
        }
        if !hasFailed, case .accept = verdict, !recorder.isRequestSent {
            failure = ExchangeStage.earlyAnswer
        }
        if body?.isSpent == true { failure?.explainSpentBody() }
        if let authentication { authentication.explain(&failure, head) }
        if !hasFailed, case .accept = verdict { failure = resumption?.shortage }
        if !hasFailed, !response.isUnchanged, case .accept = verdict,
            let findings = response.judgeBody(of: hop.method)
        {
            note(findings)
        }
        if hasFailed { caching?.reject(.rejected) }
        forgetStored()
        var result = result()
        guard !hasFailed, !response.isUnchanged, case .accept = verdict else {
            return .finished(result)
        }
        let check = ContentCheck(request.expectation, head: head, body: response.bodyCheck?.kept)
        let isList = if case .checksums = request.sink { true } else { false }
        let cached = caching?.outcome()
        guard check != nil || response.destination != nil || isList else {
            cached?.end(&result)
            return .finished(result)
        }
        return .publish(
            PublicationJob(
                result,
                response.sink.content,
                check: check,
                destination: response.destination,
                announced: response.announcedDigest(
                    to: hop.method,
                    isRest: resumption?.isRest == true
                ),
                isChecksumList: isList,
                cached: cached
            )
        )
    }
}
