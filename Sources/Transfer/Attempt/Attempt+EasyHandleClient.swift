internal import CurlKit
internal import SystemKit
internal import TransferModel

extension Attempt: EasyHandleClient {
    func didStartResolving() {
        // What may not go on opens no socket.
        guard let now = didBegin() else { return }
        recorder.didStartResolving(isLookup: isPeerNamed, at: now)
    }

    func willOpenSocket(to peer: SocketAddress) -> SocketOptions? {
        guard let now = didBegin(), let options = socketOptions(for: peer) else { return nil }
        recorder.didOpenSocket(isNamed: isPeerNamed, at: now)
        return options
    }

    func didBind(_ binding: SocketBinding) -> Bool {
        noteBinding(binding)
    }

    func willSendRequest(over connection: ConnectionFacts) -> Bool {
        guard let now = didBegin() else { return false }
        let isNew = recorder.hasNewConnection
        guard isNew || mayReuse(connection) else { return false }
        let number = session.connections.number(of: connection, isNew: isNew) {
            handle.socket(of: connection)
        }
        if isNew { session.keep(handle.newestOpening, of: number) }
        if session.paths != nil, !mayUse(connection, number, isNew: isNew) { return false }
        let isSecure = hop.url.origin.scheme == .https
        if isNew { self.connection.osErrnoOfConnecting = handle.lastOSErrno }
        let tls = isSecure ? handle.useTLS() : nil
        if isNew, let tls, !tls.hasChosenProtocol, !mayUseUnchosenVersion() { return false }
        recorder.willSendRequest(
            over: connection,
            identifier: number,
            times: isNew ? handle.connectTimes : nil,
            tls: tls,
            serverTrust: isSecure ? session.configuration.tls.serverTrust : nil,
            at: now
        )
        if session.socketOptions.isMultipath { noteMultipath(connection, number, isNew: isNew) }
        return true
    }

    func didSendHead(_ bytes: Span<UInt8>) {
        if proxy.route != nil { proxy.didSend(bytes, toOrigin: recorder.hasBegunRequest) }
        let isRewritten =
            !sent.signature.isEmpty || upload?.isAtOwnURL != true && hop.url.mayHaveDotSegments
        let url = isRewritten && !recorder.didSend ? hop.url.asked(by: bytes) : nil
        recorder.didSendHead(bytes, asking: url, at: move(bytes: bytes.count))
        if carriesBody, authentication?.carried != nil || proxy.route != nil { noteEmptyRequest() }
    }

    func didTransfer(_ traffic: Traffic, count: Int) {
        if traffic == .tlsSent, proxy.isTLSOfProxy { return }
        if traffic == .bodyReceived, response.parser.framing.isChunked {
            return didReceiveChunks(count)
        }
        // What TLS sends on a connection with several streams may be about any of them.
        let isOwn = traffic != .tlsSent || !recorder.hasBegunRequest
        recorder.didTransfer(traffic, count: count, at: isOwn ? move(bytes: count) : .now)
    }

    func didReceiveHeader(_ line: Span<UInt8>) -> Bool {
        if proxy.route != nil, !recorder.hasBegunRequest { return didReceiveTunnelHeader(line) }
        switch response.parser.read(line) {
        case .reading:
            let now = moveInTurn(bytes: line.count)
            recorder.didReceiveHead(count: line.count, isFinal: false, at: now)
            return true
        case .informed(let head):
            let now = move(bytes: line.count)
            recorder.didReceiveHead(count: line.count, isFinal: false, at: now)
            recorder.didReceiveInformational(head, at: now)
            if upload != nil { didInform(head) }
            return true
        case .began:
            recorder.didReceiveHead(
                count: line.count,
                isFinal: true,
                at: move(bytes: line.count)
            )
            return true
        case .trailer:
            // Counted with the body, whose framing it is a part of.
            _ = moveInTurn(bytes: line.count)
            return true
        case .ended(let head):
            let now = move(bytes: line.count)
            recorder.didReceiveHead(count: line.count, isFinal: true, at: now)
            // Chunks are more than what they carry, and bytes behind them or behind a lone head are
            // told of in words alone.
            if !sent.hearsTraffic,
                response.parser.framing.isChunked || response.parser.framing.contentLength == 0
                    || ResponseIntake.hasNoBody(head, to: hop.method)
            {
                sent.hearsTraffic = true
                handle.hearTraffic()
            }
            return didReceive(head)
        case .violation(let detail):
            failure = ExchangeStage.badResponse(detail)
            return false
        }
    }

    func didReceiveBody(_ bytes: Span<UInt8>) -> Bool {
        // Of a body with a length, or without any frame, the traffic was told of.
        let isHeard = sent.hearsTraffic && !response.parser.framing.isChunked
        let now = move(bytes: isHeard ? 0 : bytes.count)
        caching?.take(bytes)
        // As it came: decoding it makes another number of bytes.
        if !sent.hearsTraffic { recorder.didTransfer(.bodyReceived, count: bytes.count, at: now) }
        return response.decoding == nil ? take(bytes) : decode(bytes)
    }

    /// Takes a piece of the body as it is to be stored.
    func take(_ bytes: Span<UInt8>) -> Bool {
        let now = move()
        recorder.didDeliver(count: bytes.count, at: now)
        let isPassedOver = verdict?.isPassedOver ?? proxy.hasSequel
        if isPassedOver, !mayPassOver(recorder.deliveredBytes) { return false }
        if let excess = resumption?.excess(recorder.deliveredBytes) {
            failure = excess
            return false
        }
        if let findings = response.bodyCheck?.take(bytes) {
            note(findings)
            return false
        }
        do throws(SystemError) {
            if try write(bytes) {
                if let resumption { keepPart(resumption, at: now) }
                return true
            }
            // What a proxy says in the place of the origin is as much too long as a refused
            // response can be.
            if verdict == nil { failure = proxy.refusal(at: recorder.stage) }
        } catch {
            failure = TransferFailure(error, phase: .receive)
        }
        return false
    }

    /// Decodes a piece of the body and takes what comes of it; false ends the transfer.
    func decode(_ bytes: Span<UInt8>) -> Bool {
        guard let decoder = response.decoding?.decoder else { return false }
        response.decoding?.codedBytes += Int64(bytes.count)
        switch decoder.decode(bytes, { take($0) }) {
        case .decoded: return true
        case .refused: return false
        case .corrupt:
            if let findings = response.decoding?.corruption { note(findings) }
            return false
        }
    }

    /// Writes a piece of the body; on a full disk what is to be stored of it gives way.
    private func write(_ bytes: Span<UInt8>) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try response.sink.write(bytes)
        } catch {
            guard error.isOutOfRoom, caching?.giveWay(error) == true else { throw error }
            return try response.sink.write(bytes)
        }
    }

    func mayDiscard(received: Int64) -> Bool {
        guard recorder.hasBegunRequest else { return mayDiscardTunnelBody() }
        if hasFailed { return false }
        if response.discarded.didGrow(to: received) { _ = move() }
        // What frames the body is told of by libcurl 7.88 alone; of what follows without a byte of
        // it, the number is.
        if response.parser.framing.isChunked, response.discarded.isStuck {
            failure = excessBody(limit: nil)
            return false
        }
        return mayPassOver(max(received, recorder.receivedBodyBytes))
    }

    func readBody(into buffer: inout MutableRawSpan) -> BodyRead {
        guard let body else { return .failed }
        do throws(TransferFailure) {
            let read = try body.read(into: &buffer)
            if case .bytes(let count) = read { recorder.didProduceBody(count: count) }
            return read
        } catch {
            failure = error
            return .failed
        }
    }

    func rewindBody() -> Bool {
        do throws(TransferFailure) {
            try body?.rewind()
            recorder.didRewindBody()
            return true
        } catch {
            failure = error
            return false
        }
    }
}

extension Attempt {
    /// Notes that libcurl works on the exchange: until then it may wait for a connection of its
    /// host to be free.
    ///
    /// - Returns: The present; nil when libcurl is to stop here.
    private func didBegin() -> MonotonicTime? {
        let now = MonotonicTime.now
        watch.didBegin(at: now)
        return (head == nil ? mayRepeat() : beginLeg(at: now)) ? now : nil
    }

    /// Whether what is connected to, the proxy or the origin, has a name that must be looked up.
    private var isPeerNamed: Bool { !(proxy.route?.isAddress ?? hop.url.origin.isAddress) }

    /// Notes that something moved; the time is read once for everybody.
    func move(bytes count: Int = 0) -> MonotonicTime {
        let now = MonotonicTime.now
        watch.didMove(bytes: count, at: now)
        return now
    }

    /// Notes that something moved which has no date of its own: the time at which the thread last
    /// woke will do.
    private func moveInTurn(bytes count: Int) -> MonotonicTime {
        let now = session.turn.time
        watch.didMove(bytes: count, at: now)
        return now
    }

    /// Takes a piece of a chunked body with what frames it, which alone is no sign of life.
    ///
    /// There may be much more of that than of the body: extensions, leading zeros, chunks of one
    /// byte (RFC 9112 §7.1).
    private func didReceiveChunks(_ count: Int) {
        // What came before was handed over by now.
        if isMostlyFraming {
            if !hasFailed {
                let body = response.decoding?.codedBytes ?? recorder.deliveredBytes
                failure = ExchangeStage.badResponse(
                    "the chunks of the body are nearly all framing: "
                        + "\(recorder.receivedBodyBytes) bytes for \(body) of the body"
                )
            }
            // Which is called after each piece, also without any of the body.
            handle.hearDiscardedBody()
        }
        recorder.didTransfer(.bodyReceived, count: count, at: .now)
    }

    private var isMostlyFraming: Bool {
        switch verdict {
        // libcurl may throw the body away, which is watched otherwise.
        case .challenge, .sendUnasked, nil: return false
        case .accept, .refuse, .redirect, .proceed, .stored: break
        }
        let body = response.decoding?.codedBytes ?? recorder.deliveredBytes
        return ResponseFraming.isTooMuch(recorder.receivedBodyBytes - body, around: body)
    }

    /// Whether so much may come of the body of a response that another request follows.
    private func mayPassOver(_ count: Int64) -> Bool {
        guard count > Self.passedOverBodyLimit else { return true }
        failure = excessBody(limit: Self.passedOverBodyLimit)
        return false
    }

    /// The failure of an unwanted body: that of a proxy's question where no response is judged.
    private func excessBody(limit: Int64?) -> TransferFailure {
        let stage = recorder.stage
        guard verdict == nil else { return stage.excessBody(of: head?.statusCode, limit: limit) }
        return proxy.excessQuestion(at: stage, head, limit: limit)
    }

    private func didReceive(_ head: ResponseHead) -> Bool {
        response.head = head
        recorder.didReceive(reported(head))
        if proxy.isQuestion(head) { return didReceiveQuestion(head) }
        if response.parser.maySetCookies {
            session.cookies?.keep(head, from: hop.url, first: request.request.url)
        }
        if session.invalidation != nil { invalidate(after: head, of: hop) }
        if head.statusCode == 401 { handle.noteChallenge() }
        if refusesExpectation(head) {
            response.verdict = .sendUnasked
            passOver()
            return true
        }
        switch readChallenge(head) {
        case .none: return bodyHold.lacksBody ? judgeEmptyRequest(head) : judge(head)
        case .stop:
            refuse(head)
            return false
        case .byLibrary, .credential:
            passOver()
            return true
        }
    }

    /// Lets the rest of a response go by that the same request follows.
    func passOver() {
        response.sink.discard()
        handle.hearDiscardedBody()
        if body?.isWaiting == true { try? handle.resume() }
    }

    /// Decides what becomes of the response whose head is whole.
    func judge(_ head: ResponseHead) -> Bool {
        guard resumption == nil || judgeRest(head) else { return false }
        if upload != nil, let mayGoOn = judgeUpload(head) { return mayGoOn }
        if caching != nil, isAnsweredByStored(head) { return true }
        let verdict = ResponseVerdict.judge(
            head,
            of: hop,
            expectation: request.expectation,
            redirects: request.redirects,
            isRest: resumption?.isRest == true,
            checks: &checks
        )
        response.verdict = verdict
        // libcurl stops sending now, but does not see that a paused request has nothing left to do.
        // When it cannot be told, the idle time ends the attempt.
        if head.statusCode >= 300, body?.isWaiting == true { try? handle.resume() }
        switch verdict {
        case .redirect, .challenge, .sendUnasked, .stored, .proceed:
            response.sink.discard()
        case .refuse(let failure):
            self.failure = failure
            response.sink.keepExcerpt()
        case .accept:
            if request.isDownload,
                let findings = BodyCheck.missingContent(head, request.expectation)
            {
                note(findings)
                return false
            }
            if request.decodesBody, hop.method != "HEAD", !head.hasNoContent,
                let findings = response.beginDecoding(head, mayKeepCoding: !request.isDownload)
            {
                note(findings)
                return false
            }
            response.bodyCheck = BodyCheck(
                request.expectation,
                head: head,
                method: hop.method,
                start: resumption?.start ?? 0
            )
            // What a coded body will be is known at its end.
            let length = response.decoding == nil ? response.contentLength : nil
            if let findings = response.bodyCheck?.announce(length) {
                note(findings)
                return false
            }
            return openSink(head, expectedCount: length)
        }
        return true
    }

    func note(_ findings: Findings) {
        checks += findings.checks
        failure = findings.failure
    }

    /// Whether it waits for its body while nothing more can come through its connection.
    var isStuck: Bool { head == nil && body?.isWaiting == true }

    /// Goes on with sending, because the body has something to send or has ended.
    func resumeBody() throws(CurlCode) {
        body?.wake()
        try handle.resume()
    }
}
