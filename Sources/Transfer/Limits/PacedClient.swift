internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Stands between libcurl and an exchange whose session has a limit of bandwidth: counts the bytes
/// and lets libcurl keep the bytes whose turn has not come.
///
/// Exchanges of other sessions receive the events of their handles themselves.
final class PacedClient: EasyHandleClient {
    let exchange: Exchange
    let pace: ExchangePace
    /// Whether the exchange has not been handed to libcurl yet.
    private(set) var isHeld = false
    /// The body that libcurl would otherwise send at its own pace, and how much of it was read.
    private var memory: (bytes: [UInt8], offset: Int)?

    /// Smaller bodies in memory are counted and never wait.
    private static let smallestBody = 16 << 10

    /// The client without the limit: the exchange, or the client before it.
    private let inner: any EasyHandleClient

    init(_ exchange: Exchange, behind inner: any EasyHandleClient, _ pace: ExchangePace) {
        self.exchange = exchange
        self.inner = inner
        self.pace = pace
    }

    // MARK: - The exchange

    /// Changes a request so that its bytes can be counted.
    ///
    /// - Returns: Whether the exchange must wait before it is handed to libcurl.
    func holds(_ request: EasyRequest, _ now: MonotonicTime) -> Bool {
        request.receiveBufferSize = pace.takeBufferSize()
        memory = nil
        if case .bytes(let bytes) = request.body, pace.limitsUploads {
            if bytes.count > Self.smallestBody {
                memory = (bytes, 0)
                request.body = .stream(size: Int64(bytes.count))
            } else {
                pace.didSendUnasked(bytes.count)
            }
        }
        isHeld = pace.holds(now)
        return isHeld
    }

    /// Continues a transfer whose turn has come.
    ///
    /// - Returns: Whether the exchange is to be handed to libcurl now.
    func takeTurn(_ now: MonotonicTime) throws(CurlCode) -> Bool {
        let turn = pace.takeTurn(now)
        if let waited = turn.waited { didWait(waited, until: now) }
        if let conversation = exchange.conversation {
            if !pace.isWaiting { conversation.resume() }
            return false
        }
        guard isHeld else {
            if turn.continues { try exchange.handle.resume() }
            return false
        }
        isHeld = pace.isWaiting
        return !isHeld
    }

    /// Counts the bytes that a conversation has moved in a turn, and pauses it after too many.
    ///
    /// - Returns: Whether it is paused.
    func didConverse(_ now: MonotonicTime) -> Bool {
        guard let conversation = exchange.conversation else { return false }
        let moved = conversation.takeMoved()
        guard !conversation.isPaused else { return true }
        guard moved != (0, 0), pace.didMove(received: moved.received, sent: moved.sent, now: now)
        else { return false }
        exchange.watch.pause(at: now)
        conversation.pause()
        return true
    }

    /// Ends the exchange's part in the bandwidth.
    func end(_ now: MonotonicTime) {
        if let waited = pace.end(now) { didWait(waited, until: now) }
    }

    private func didWait(_ duration: Duration, until now: MonotonicTime) {
        exchange.watch.resume(at: now)
        exchange.recorder.didWaitForBandwidth(duration)
    }

    // MARK: - EasyHandleClient

    func didReceiveBody(_ bytes: Span<UInt8>) -> BodyTake {
        guard pace.hasReserved || claim(bytes.count) else { return .paused }
        let take = inner.didReceiveBody(bytes)
        if take != .paused { pace.didReceive(bytes.count) }
        return take
    }

    private func claim(_ count: Int) -> Bool {
        let now = MonotonicTime.now
        let length = exchange.response.contentLength
        if pace.claim(count, length: length, now: now) { return true }
        exchange.watch.pause(at: now)
        return false
    }

    func readBody(into buffer: inout MutableRawSpan) -> BodyRead {
        let now = MonotonicTime.now
        let most = pace.mostToSend(now)
        guard most > 0 else {
            exchange.watch.pause(at: now)
            return .paused
        }
        var piece = buffer._mutatingExtracting(0..<min(most, buffer.byteCount))
        let read = readPiece(into: &piece)
        if case .bytes(let count) = read { pace.didSend(count, now: now) }
        return read
    }

    private func readPiece(into buffer: inout MutableRawSpan) -> BodyRead {
        guard let (bytes, offset) = memory else { return inner.readBody(into: &buffer) }
        let count = buffer.update(from: bytes.span.extracting(droppingFirst: offset))
        memory?.offset += count
        return .bytes(count)
    }

    func rewindBody() -> Bool {
        memory?.offset = 0
        return inner.rewindBody()
    }

    func didReceiveHeader(_ line: Span<UInt8>) -> Bool {
        pace.didReceiveUnasked(line.count)
        return inner.didReceiveHeader(line)
    }

    func didSendHead(_ bytes: Span<UInt8>) {
        pace.didSendUnasked(bytes.count)
        inner.didSendHead(bytes)
    }

    func didStartResolving() { inner.didStartResolving() }

    func willOpenSocket(to peer: SocketAddress) -> SocketOptions? {
        inner.willOpenSocket(to: peer)
    }

    func didBind(_ binding: SocketBinding) -> Bool { inner.didBind(binding) }

    func willSendRequest(over connection: ConnectionFacts) -> Bool {
        inner.willSendRequest(over: connection)
    }

    func didTransfer(_ traffic: Traffic, count: Int) { inner.didTransfer(traffic, count: count) }

    func didDropExcess() { inner.didDropExcess() }

    func mayDiscard(received: Int64) -> Bool { inner.mayDiscard(received: received) }
}
