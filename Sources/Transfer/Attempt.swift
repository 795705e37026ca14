internal import CurlKit
internal import SystemKit
internal import TransferModel

/// One running attempt: hears what happens on its easy handle, and says what comes after each exchange.
///
/// Its callbacks and what it makes of its end stand in files of their own. Lives on its engine's thread. An exchange that ends in a redirect is followed by another one on the same handle.
final class Attempt {
    /// What follows the end of an exchange.
    enum Next {
        case exchange(EasyRequest)
        case finished(AttemptResult)
        case publish(PublicationJob)
    }

    /// More of a body that nobody wants is not read.
    static let redirectBodyLimit: Int64 = 1 << 20

    let request: AttemptRequest
    let handle: EasyHandle
    var watch: ActivityWatch
    let session: SessionTransport
    let startTime: MonotonicTime
    /// The request of the current hop.
    var hop: RequestSpec
    var carriesBody: Bool
    /// Whether received bytes are told of as such; otherwise what is delivered is what was received.
    var hearsTraffic = true
    /// The hops that were redirected, in order.
    var visited: [String] = []
    var redirectCount = 0
    var recorder: TransactionRecorder
    var parser = ResponseHeadParser()
    var sink = ResponseSink()
    /// nil when nothing is expected of the body.
    var bodyCheck: BodyCheck?
    var head: ResponseHead?
    var verdict: ResponseVerdict?
    var checks: [TaskRecord.Check] = []
    /// Decided by us inside a callback; libcurl's code then only says that a callback ended the transfer.
    var failure: TransferFailure?
    /// The destination of the body, with the name that the server gave it.
    var destination: TaskSpec.Destination?
    /// nil when the body is taken as it is sent.
    var decoding: BodyDecoding?
    /// Whether the file that the server named is there and is kept: the body is not wanted.
    var isUnchanged = false
    let claims: DestinationClaims?
    var bodyFile: InputFile?
    var bodyOffset: Int64 = 0

    init(
        _ request: consuming AttemptRequest,
        handle: EasyHandle,
        session: SessionTransport,
        claims: DestinationClaims?,
        clock: RunClock,
        now: MonotonicTime
    ) {
        self.request = request
        self.handle = handle
        self.session = session
        self.claims = claims
        startTime = now
        hop = request.request
        carriesBody = request.body != nil
        recorder = TransactionRecorder(
            attempt: request.number,
            reason: request.reason,
            method: hop.method,
            url: hop.url.text,
            clock: clock,
            now: now
        )
        watch = ActivityWatch(
            idleLimit: request.timeoutInterval,
            minimumRate: session.configuration.minimumRate,
            deadline: request.deadline,
            now: now
        )
    }

    /// The first exchange; a body file that cannot be opened is a failure before anything is sent.
    func begin() -> Next {
        if case .file(let path) = request.body {
            do throws(SystemError) {
                bodyFile = try InputFile(path: path)
            } catch {
                failure = TransferFailure(reading: error, phase: .prepare)
                return .finished(result())
            }
        }
        return .exchange(easyRequest())
    }

    /// Ends the exchange with libcurl's result.
    func end(_ code: CurlCode) -> Next {
        let isComplete = code.isOK && head != nil
        if failure == nil, !isComplete, !isUnchanged { failure = failureOfExchange(code) }
        noteFailedConnection()
        recorder.end(
            isComplete: isComplete,
            protocolName: handle.networkProtocolName,
            curlCode: code.isOK || isUnchanged ? nil : code.rawValue,
            osErrno: code.isOK || isUnchanged ? nil : handle.osErrno
        )
        if failure == nil, case .redirect = verdict { return follow() }
        return finish()
    }

    /// Ends the attempt from outside; the handle has been taken out of its multi handle.
    func abort(_ failure: TransferFailure) -> Next {
        if self.failure == nil { self.failure = failure }
        noteFailedConnection()
        recorder.end(isComplete: false, protocolName: handle.networkProtocolName)
        return finish()
    }

    private func noteFailedConnection() {
        guard recorder.hasUnusedConnection else { return }
        let remote = handle.remoteEndpoint.map {
            TransactionMetrics.Endpoint(address: $0.address, port: $0.port)
        }
        recorder.didFailToConnect(handle.connectTimes, remote: remote, at: .now)
    }

    func checkWatch(at now: MonotonicTime) -> ActivityWatch.Verdict? {
        watch.check(at: now)
    }

    var progress: AttemptProgress {
        AttemptProgress(
            key: request.key,
            countOfBytesSent: recorder.sentBodyBytes,
            countOfBytesReceived: decoding?.codedBytes ?? recorder.deliveredBytes,
            countOfBytesExpected: request.body == nil ? contentLength : expectedToSend
        )
    }

    private func follow() -> Next {
        guard let head else { return finish() }
        visited.append(RedirectDecision.visit(hop.method, hop.url))
        let decision = RedirectDecision.decide(
            status: head.statusCode,
            locations: head.fields.values(of: "location"),
            target: handle.redirectURL,
            request: hop,
            hasBody: carriesBody,
            rule: request.redirects,
            visited: visited
        )
        switch decision {
        case .refuse(var refusal):
            refusal.httpStatus = head.statusCode
            failure = refusal
            return finish()
        case .follow(let next, let keepsBody):
            hop = next
            carriesBody = keepsBody
            redirectCount += 1
            parser = ResponseHeadParser()
            sink.discard()
            decoding = nil
            self.head = nil
            verdict = nil
            bodyOffset = 0
            watch.willBegin(at: .now)
            let now = MonotonicTime.now
            recorder.begin(
                reason: .redirect,
                method: next.method,
                url: next.url.text,
                at: now
            )
            return .exchange(easyRequest())
        }
    }

    private func finish() -> Next {
        if failure == nil, let bodyFile, !bodyFile.isUnchanged { _ = fileChanged() }
        if failure == nil, case .accept = verdict { checkBody() }
        let result = result()
        guard result.failure == nil, !isUnchanged, case .accept = verdict else {
            return .finished(result)
        }
        let check = ContentCheck(request.expectation, head: head, body: bodyCheck?.kept)
        let isList = if case .checksums = request.sink { true } else { false }
        guard check != nil || destination != nil || isList else { return .finished(result) }
        return .publish(
            PublicationJob(
                result: result,
                check: check,
                content: sink.content,
                destination: destination,
                isChecksumList: isList
            )
        )
    }

    private func easyRequest() -> EasyRequest {
        var body = EasyRequest.Body.none
        if carriesBody {
            switch request.body {
            case .bytes(let bytes):
                body = .bytes(bytes)
                recorder.willSendBody(count: Int64(bytes.count), isInMemory: true)
            case .file:
                let size = bodyFile?.identity.size ?? 0
                body = .stream(size: size)
                recorder.willSendBody(count: size, isInMemory: false)
            case nil: break
            }
        }
        // Without TLS and bodies there is nothing to hear that the callbacks of the response do not tell.
        hearsTraffic = carriesBody || hop.url.origin.scheme == .https
        return EasyRequest(
            url: hop.url.text,
            method: hop.method,
            headerLines: session.headerLines(
                for: hop,
                carriesBody: carriesBody,
                acceptsCodings: request.decodesBody
            ),
            body: body,
            proxy: session.proxy(for: hop.url.origin),
            requiresFreshConnection: request.requiresFreshConnection,
            hearsTraffic: hearsTraffic
        )
    }
}
