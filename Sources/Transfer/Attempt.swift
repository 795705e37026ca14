internal import CurlKit
internal import SystemKit
internal import TransferModel

/// One running attempt: hears what happens on its easy handle, and says what comes after each exchange.
///
/// Lives on the engine thread. An exchange that ends in a redirect is followed by another one on the same handle.
final class Attempt: EasyHandleClient {
    /// What follows the end of an exchange.
    enum Next {
        case exchange(EasyRequest)
        case finished(AttemptResult)
        case publish(PublicationJob)
    }

    /// More of a body that nobody wants is not read.
    private static let redirectBodyLimit: Int64 = 1 << 20

    let request: AttemptRequest
    let handle: EasyHandle
    private(set) var watch: ActivityWatch
    private let session: SessionTransport
    private let startTime: MonotonicTime
    /// The request of the current hop.
    private var hop: RequestSpec
    private var carriesBody: Bool
    /// The hops that were redirected, in order.
    private var visited: [String] = []
    private var redirectCount = 0
    private var recorder: TransactionRecorder
    private var parser = ResponseHeadParser()
    private var sink = ResponseSink()
    /// nil when nothing is expected of the body.
    private var bodyCheck: BodyCheck?
    private var head: ResponseHead?
    private var verdict: ResponseVerdict?
    private var checks: [TaskRecord.Check] = []
    /// Decided by us inside a callback; libcurl's code then only says that a callback ended the transfer.
    private var failure: TransferFailure?
    private var bodyFile: InputFile?
    private var bodyOffset: Int64 = 0

    init(
        _ request: AttemptRequest,
        handle: EasyHandle,
        session: SessionTransport,
        clock: RunClock,
        now: MonotonicTime
    ) {
        self.request = request
        self.handle = handle
        self.session = session
        startTime = now
        hop = request.request
        carriesBody = request.body != nil
        recorder = TransactionRecorder(
            attempt: request.number,
            reason: request.number == 1 ? .initial : .retry,
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
        if failure == nil, !isComplete { failure = failureOfExchange(code) }
        noteFailedConnection()
        recorder.end(
            isComplete: isComplete,
            protocolName: handle.networkProtocolName,
            curlCode: code.isOK ? nil : code.rawValue,
            osErrno: code.isOK ? nil : handle.osErrno
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

    /// The failure of an attempt that somebody ends.
    var cancellation: TransferFailure {
        var failure = TransferFailure(kind: .cancelled, phase: recorder.phase, detail: "cancelled")
        failure.urlError = TransferFailure.URLErrorCode(code: -999, name: "cancelled")
        failure.isKnownUnprocessed = !recorder.hasSentAnything
        return failure
    }

    /// The failure that the watch's verdict means.
    func failure(for verdict: ActivityWatch.Verdict) -> TransferFailure {
        let phase = recorder.phase
        var failure =
            switch verdict {
            case .idle:
                TransferFailure(
                    kind: .timeout,
                    phase: phase,
                    detail: "nothing moved for "
                        + "\((request.timeoutInterval ?? .zero).microseconds / 1000) ms"
                )
            case .stalled:
                TransferFailure(
                    kind: .stalled,
                    phase: phase,
                    detail: "slower than the session's minimumRate"
                )
            case .deadline:
                TransferFailure(kind: .timeout, phase: phase, detail: "the task's time is over")
            }
        failure.urlError = TransferFailure.URLErrorCode(code: -1001, name: "timedOut")
        failure.isKnownUnprocessed = !recorder.hasSentAnything
        return failure
    }

    func checkWatch(at now: MonotonicTime) -> ActivityWatch.Verdict? {
        watch.check(at: now)
    }

    var progress: AttemptProgress {
        AttemptProgress(
            key: request.key,
            countOfBytesSent: recorder.sentBodyBytes,
            countOfBytesReceived: recorder.deliveredBytes,
            countOfBytesExpected: request.body == nil ? contentLength : expectedToSend
        )
    }

    // MARK: - EasyHandleClient

    func didStartResolving() {
        let now = didBegin()
        recorder.didStartResolving(isLookup: !hop.url.origin.isAddress, at: now)
    }

    func didOpenSocket() {
        let now = didBegin()
        recorder.didOpenSocket(at: now)
    }

    func willSendRequest(over connection: ConnectionFacts) {
        let now = didBegin()
        let isNew = recorder.hasNewConnection
        recorder.willSendRequest(
            over: connection,
            identifier: session.connectionNumber(of: connection, isNew: isNew),
            times: isNew ? handle.connectTimes : nil,
            tls: hop.url.origin.scheme == .https ? handle.tlsFacts : nil,
            isProxied: session.proxy(for: hop.url.origin) != nil,
            at: now
        )
    }

    func didSendHead(_ bytes: Span<UInt8>) {
        recorder.didSendHead(bytes, at: move(bytes: bytes.count))
    }

    func didTransfer(_ traffic: Traffic, count: Int) {
        recorder.didTransfer(traffic, count: count, at: move(bytes: count))
    }

    func didReceiveHeader(_ line: Span<UInt8>) -> Bool {
        let now = move(bytes: line.count)
        switch parser.read(line) {
        case .reading:
            recorder.didReceiveHead(count: line.count, isFinal: false, at: now)
            return true
        case .began:
            recorder.didReceiveHead(count: line.count, isFinal: true, begins: true, at: now)
            return true
        case .ended(let head):
            recorder.didReceiveHead(count: line.count, isFinal: true, at: now)
            return didReceive(head)
        case .violation(let detail):
            failure = TransferFailure(kind: .protocolViolation, phase: .receive, detail: detail)
            failure?.urlError = TransferFailure.URLErrorCode(code: -1011, name: "badServerResponse")
            return false
        }
    }

    func didReceiveBody(_ bytes: Span<UInt8>) -> Bool {
        recorder.didDeliver(count: bytes.count, at: move())
        if case .redirect = verdict, recorder.deliveredBytes > Self.redirectBodyLimit {
            failure = TransferFailure(
                kind: .protocolViolation,
                phase: .receive,
                detail: "the body of a redirect is larger than \(Self.redirectBodyLimit) bytes"
            )
            failure?.isPermanent = true
            return false
        }
        if let findings = bodyCheck?.take(bytes) {
            note(findings)
            return false
        }
        do throws(SystemError) {
            return try sink.write(bytes)
        } catch {
            failure = TransferFailure(error, phase: .receive)
            return false
        }
    }

    func readBody(into buffer: inout MutableRawSpan) -> BodyRead {
        guard let bodyFile else { return .failed }
        do throws(SystemError) {
            // No more than was announced: what a growing file has in excess would read as another request.
            let rest = Int(clamping: bodyFile.identity.size - bodyOffset)
            let count = min(try bodyFile.read(into: &buffer, at: bodyOffset), rest)
            bodyOffset += Int64(count)
            recorder.didProduceBody(count: count)
            if count == 0, bodyOffset < bodyFile.identity.size { return fileChanged() }
            return .bytes(count)
        } catch {
            failure = TransferFailure(reading: error, phase: .send)
            return .failed
        }
    }

    func rewindBody() -> Bool {
        bodyOffset = 0
        recorder.didRewindBody()
        return true
    }

    // MARK: - Deciding

    /// Notes that libcurl works on the exchange: until then it may wait for a connection of its host to be free.
    private func didBegin() -> MonotonicTime {
        let now = MonotonicTime.now
        watch.didBegin(at: now)
        return now
    }

    /// Notes that something moved; the time is read once for everybody.
    private func move(bytes count: Int = 0) -> MonotonicTime {
        let now = MonotonicTime.now
        watch.didMove(bytes: count, at: now)
        return now
    }

    private func didReceive(_ head: ResponseHead) -> Bool {
        self.head = head
        recorder.didReceive(head)
        let verdict = ResponseVerdict.judge(
            head,
            of: hop,
            expectation: request.expectation,
            redirects: request.redirects,
            checks: &checks
        )
        self.verdict = verdict
        switch verdict {
        case .redirect:
            sink.discard()
        case .refuse(let failure):
            self.failure = failure
            sink.keepExcerpt()
        case .accept:
            bodyCheck = BodyCheck(request.expectation, head: head, method: hop.method)
            if let findings = bodyCheck?.announce(contentLength) {
                note(findings)
                return false
            }
            guard case .file(let destination) = request.sink else { return true }
            do throws(SystemError) {
                try sink.open(destination, expectedCount: contentLength)
            } catch {
                failure = TransferFailure(error, phase: .receive)
                return false
            }
        }
        return true
    }

    private func note(_ findings: Findings) {
        checks += findings.checks
        failure = findings.failure
    }

    private func fileChanged() -> BodyRead {
        failure = TransferFailure(
            kind: .localIO,
            phase: .send,
            detail: "the file changed while it was being sent"
        )
        failure?.isPermanent = true
        return .failed
    }

    /// What an exchange without a whole response means.
    private func failureOfExchange(_ code: CurlCode) -> TransferFailure {
        guard !code.isOK else {
            return TransferFailure(
                kind: .protocolViolation,
                phase: recorder.phase,
                detail: "the connection ended without a response"
            )
        }
        return TransferFailure(
            ExchangeEnd(
                code: code,
                phase: recorder.phase,
                osErrno: handle.osErrno,
                certificateVerifyResult: code.rawValue == 60 ? handle.certificateVerifyResult : 0,
                detail: handle.errorDetail,
                didSend: recorder.hasSentAnything
            )
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
        if failure == nil, case .accept = verdict, let findings = bodyCheck?.end() {
            note(findings)
        }
        let result = result()
        guard result.failure == nil, case .accept = verdict else { return .finished(result) }
        let check = ContentCheck(request.expectation, head: head, body: bodyCheck?.kept)
        var destination: TaskSpec.Destination?
        if case .file(let file) = request.sink { destination = file }
        guard check != nil || destination != nil else { return .finished(result) }
        return .publish(
            PublicationJob(
                result: result,
                check: check,
                content: sink.content,
                destination: destination
            )
        )
    }

    private func result() -> AttemptResult {
        let transactions = recorder.closed
        var result = AttemptResult(
            key: request.key,
            startTime: startTime,
            endTime: .now,
            currentRequest: transactions.last?.request
                ?? .init(method: hop.method, url: hop.url.text, headers: HeaderFields(hop.headers))
        )
        result.redirectCount = redirectCount
        result.response = head
        result.checks = checks
        result.failure = failure
        if let failure, !checks.contains(where: { !$0.passed }) {
            result.checks = [
                TaskRecord.Check(.clientError, passed: false, actual: failure.kind.label)
            ]
        }
        if result.failure?.help == nil {
            result.failure?.help = ServerExcerpt.help(of: sink.excerpt, head: head)
        }
        if failure == nil { result.voucher = voucher }
        // Of the body that was asked for: redirects have bodies of their own.
        result.countOfBytesSent =
            transactions.last { $0.countOfRequestBodyBytesSent > 0 }?.countOfRequestBodyBytesSent
            ?? 0
        result.countOfBytesReceived = transactions.last?.countOfResponseBodyBytesAfterDecoding ?? 0
        result.countOfBytesExpectedToSend = expectedToSend
        result.countOfBytesExpectedToReceive = contentLength
        result.transactions = transactions
        return result
    }

    /// Who says that the body is whole: its length or its framing, or nobody when only the connection's end did.
    private var voucher: TaskRecord.Voucher {
        guard let head else { return .none }
        let hasNoBody = head.statusCode == 204 || head.statusCode == 304 || hop.method == "HEAD"
        let isFramed = contentLength != nil || parser.framing.isChunked
        return hasNoBody || isFramed ? .length : .none
    }

    /// Of the final response; nil while there is none.
    private var contentLength: Int64? {
        head == nil ? nil : parser.framing.contentLength
    }

    private var expectedToSend: Int64? {
        switch request.body {
        case .bytes(let bytes): Int64(bytes.count)
        case .file: bodyFile?.identity.size
        case nil: nil
        }
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
        return EasyRequest(
            url: hop.url.text,
            method: hop.method,
            headerLines: session.headerLines(for: hop.headers),
            body: body,
            proxy: session.proxy(for: hop.url.origin),
            requiresFreshConnection: request.requiresFreshConnection
        )
    }
}
