internal import CurlKit
internal import TransferModel

// Lets libcurl keep the bytes of an exchange whose turn under the session's bandwidth has not come.
extension ExchangePace {
    /// Continues a transfer whose turn has come.
    ///
    /// - Returns: Whether the exchange is to be handed to libcurl now.
    func takeTurn(of exchange: Exchange, _ now: MonotonicTime) throws(CurlCode) -> Bool {
        let turn = takeTurn(now)
        if let waited = turn.waited { exchange.didWait(waited, until: now) }
        if let conversation = exchange.conversation {
            if !isWaiting { conversation.resume() }
            return false
        }
        if isHeld { return release() }
        if turn.continues { try exchange.handle.resume() }
        return false
    }

    /// Counts the bytes that a conversation has moved in a turn, and pauses it after too many.
    ///
    /// - Returns: Whether it is paused.
    func holdsConversation(of exchange: Exchange) -> Bool {
        guard let conversation = exchange.conversation else { return false }
        let moved = conversation.takeMoved()
        guard !conversation.isPaused else { return true }
        let now = MonotonicTime.now
        guard moved != (0, 0), didMove(received: moved.received, sent: moved.sent, now: now)
        else { return false }
        exchange.watch.pause(at: now)
        conversation.pause()
        return true
    }

    /// Ends the exchange's part in the bandwidth: it no longer waits, and leaves its reserved bytes
    /// to the others.
    func end(for exchange: Exchange) {
        let now = MonotonicTime.now
        if let waited = end(now) { exchange.didWait(waited, until: now) }
    }

    /// Whether a piece of the response's body may be taken now; otherwise libcurl keeps it.
    func mayTake(_ count: Int, for exchange: Exchange) -> Bool {
        if !hasReserved {
            let now = MonotonicTime.now
            guard claim(count, length: exchange.response.contentLength, now: now) else {
                exchange.watch.pause(at: now)
                return false
            }
        }
        didReceive(count)
        return true
    }

    /// Reads as much of the request's body as may leave now.
    func read(
        into buffer: inout MutableRawSpan,
        for exchange: Exchange,
        _ read: (inout MutableRawSpan) -> BodyRead
    ) -> BodyRead {
        let now = MonotonicTime.now
        let most = mostToSend(now)
        guard most > 0 else {
            exchange.watch.pause(at: now)
            return .paused
        }
        var piece = buffer._mutatingExtracting(0..<min(most, buffer.byteCount))
        let result = readMemory(into: &piece).map(BodyRead.bytes) ?? read(&piece)
        if case .bytes(let count) = result { didSend(count, now: now) }
        return result
    }
}
