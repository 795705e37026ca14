internal import CurlKit
internal import SystemKit
internal import TransferModel

extension Exchange: EasyHandleClient {
    func didStartResolving() {
        // An exchange that may not continue opens no socket.
        guard let now = didBegin() else { return }
        recorder.didStartResolving(isLookup: isPeerNamed, at: now)
    }

    func willOpenSocket(to peer: SocketAddress) -> SocketOptions? {
        guard let now = didBegin(), let options = session.options(for: peer, &policies.path)
        else { return nil }
        recorder.didOpenSocket(isNamed: isPeerNamed, at: now)
        return options
    }

    func didBind(_ binding: SocketBinding) -> Bool {
        let peer = handle.triedPeer
        return policies.path?.didBind(binding, to: peer?.ip, scope: peer?.scope) ?? true
    }

    func willSendRequest(over connection: ConnectionFacts) -> Bool {
        guard let now = didBegin() else { return false }
        do throws(TransferFailure) {
            return try OfferedConnection(connection, for: self).accept(at: now)
        } catch {
            fail(error)
            return false
        }
    }

    func didSendHead(_ bytes: Span<UInt8>) {
        policies.pace?.didSendUnasked(bytes.count)
        if policies.proxy.route != nil {
            policies.proxy.didSend(bytes, toOrigin: recorder.hasBegunRequest)
        }
        let isRewritten =
            policies.authentication?.isSigned == true
            || policies.upload?.isAtOwnURL != true && hop.url.mayHaveDotSegments
        let url = isRewritten && !recorder.didSend ? hop.url.asked(by: bytes) : nil
        recorder.didSendHead(bytes, asking: url, at: move(bytes: bytes.count))
        // A request for a challenge only is sent without its body.
        if body.isCarried, policies.authentication?.carried != nil || policies.proxy.route != nil,
            recorder.sentContentLength == "0", !recorder.isRequestSent
        {
            recorder.willSendBody(.none)
            policies.bodyHold.didSendWithoutBody()
        }
    }

    func didTransfer(_ traffic: Traffic, count: Int) {
        if traffic == .tlsSent, policies.proxy.isTLSOfProxy { return }
        // While a body is being sent, libcurl reports the response, too.
        if traffic == .bodyReceived, !sent.hearsTraffic { return }
        if traffic == .bodyReceived, response.parser.framing.isChunked {
            return UnwantedBody(of: self).didReceiveChunks(count)
        }
        // TLS records on a connection with several streams may belong to any of them.
        let isOwn = traffic != .tlsSent || !recorder.hasBegunRequest
        recorder.didTransfer(traffic, count: count, at: isOwn ? move(bytes: count) : .now)
    }

    func didReceiveHeader(_ line: Span<UInt8>) -> Bool {
        policies.pace?.didReceiveUnasked(line.count)
        return takeLine(line)
    }

    /// Takes a line of a head or trailer; false ends the transfer.
    func takeLine(_ line: Span<UInt8>) -> Bool {
        do throws(TransferFailure) {
            if policies.proxy.route != nil, !recorder.hasBegunRequest {
                return try didReceiveTunnelHeader(line)
            }
            return try read(line)
        } catch {
            fail(error)
            return false
        }
    }

    func didReceiveBody(_ bytes: Span<UInt8>) -> BodyTake {
        // libcurl keeps the piece until its turn under the session's bandwidth comes.
        policies.pace?.mayTake(bytes.count, for: self) == false ? .paused : takePiece(bytes)
    }

    /// Takes a piece of the body whose turn has come.
    func takePiece(_ bytes: Span<UInt8>) -> BodyTake {
        // libcurl reports the traffic of a body with a length, or without framing.
        let isHeard = sent.hearsTraffic && !response.parser.framing.isChunked
        let now = move(bytes: isHeard ? 0 : bytes.count)
        policies.caching?.take(bytes)
        // Before decoding, which changes the number of bytes.
        if !sent.hearsTraffic { recorder.didTransfer(.bodyReceived, count: bytes.count, at: now) }
        return receiveInSteps(bytes) ? .taken : .failed
    }

    func didDropExcess() {
        // The bytes after the excess are not the next response.
        recorder.record.connectionIdentifier.map { session.connections.spoil($0) }
    }

    func mayDiscard(received: Int64) -> Bool {
        do throws(TransferFailure) {
            guard recorder.hasBegunRequest else {
                try policies.proxy.discardTunnelByte(head, at: recorder.stage)
                return true
            }
            if hasFailed { return false }
            try UnwantedBody(of: self).discard(received: received)
            return true
        } catch {
            fail(error)
            return false
        }
    }

    func readBody(into buffer: inout MutableRawSpan) -> BodyRead {
        guard let pace = policies.pace else { return produceBody(into: &buffer) }
        return pace.read(into: &buffer, for: self) { produceBody(into: &$0) }
    }

    /// Reads the next piece of the request's body.
    func produceBody(into buffer: inout MutableRawSpan) -> BodyRead {
        guard let reader = body.reader else { return .failed }
        do throws(TransferFailure) {
            let read = try reader.read(into: &buffer)
            if case .bytes(let count) = read { recorder.didProduceBody(count: count) }
            return read
        } catch {
            fail(error)
            return .failed
        }
    }

    func rewindBody() -> Bool {
        policies.pace?.rewindMemory()
        do throws(TransferFailure) {
            try body.reader?.rewind()
            recorder.didRewindBody()
            return true
        } catch {
            fail(error)
            return false
        }
    }
}

extension Exchange {
    /// Notes that libcurl works on the exchange: before, it may wait for a free connection of the
    /// host.
    ///
    /// - Returns: The present; nil when libcurl is to stop here.
    private func didBegin() -> MonotonicTime? {
        let now = MonotonicTime.now
        watch.didBegin(at: now)
        do throws(TransferFailure) {
            return try NextLeg(of: self).mayBegin(at: now) ? now : nil
        } catch {
            fail(error)
            return nil
        }
    }

    /// Whether the peer of the connection has a name that must be looked up.
    private var isPeerNamed: Bool { !(policies.proxy.route?.isAddress ?? peer.isAddress) }

    /// Takes a line of a proxy's answer to a request for a tunnel; false ends the transfer.
    private func didReceiveTunnelHeader(_ line: Span<UInt8>) throws(TransferFailure) -> Bool {
        _ = move(bytes: line.count)
        let step = policies.proxy.didReceiveTunnelHeader(line)
        let answer = policies.proxy.tunnel?.response
        recorder.didReceiveTunnelHead(count: line.count, statusCode: answer?.statusCode)
        switch step {
        case .answered(407):
            if let answer { try ResponseJudge(answer, of: self).judgeChallengeOfProxy() }
        case .answered, .reading: break
        case .violation(let words): throw policies.proxy.violation(words, at: recorder.stage)
        }
        return true
    }

    /// Reads a line of a head or trailer from the origin, or from a proxy in its place.
    private func read(_ line: Span<UInt8>) throws(TransferFailure) -> Bool {
        switch response.parser.read(line) {
        case .reading:
            let now = move(bytes: line.count, at: session.turn.time)
            recorder.didReceiveHead(count: line.count, isFinal: false, at: now)
        case .informed(let head):
            let now = move(bytes: line.count)
            recorder.didReceiveHead(count: line.count, isFinal: false, at: now)
            recorder.didReceiveInformational(head, at: now)
            if let upload = policies.upload, head.statusCode == 104, body.isCarried,
                !policies.bodyHold.lacksBody
            {
                upload.didInform(head, from: hop.url, &session.uploadSupport)
            }
        case .began:
            recorder.didReceiveHead(count: line.count, isFinal: true, at: move(bytes: line.count))
        case .trailer:
            // The trailer counts with the body, as a part of its framing.
            _ = move(bytes: line.count, at: session.turn.time)
        case .ended(let head):
            let now = move(bytes: line.count)
            recorder.didReceiveHead(count: line.count, isFinal: true, at: now)
            // The count of a chunked body includes its framing, and only texts report bytes after
            // a body or after a lone head.
            if !sent.hearsTraffic,
                response.parser.framing.isChunked || response.parser.framing.contentLength == 0
                    || ResponseIntake.hasNoBody(head, to: hop.method)
            {
                sent.hearsTraffic = true
                handle.hearTraffic()
            }
            return try ResponseJudge(head, of: self).judgeArrived()
        case .violation(let detail): throw ExchangeStage.badResponse(detail)
        }
        return true
    }
}
