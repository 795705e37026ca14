internal import CurlKit
internal import TransferModel

// Lets libcurl keep the bytes whose turn under the session's bandwidth has not come.
extension Exchange {
    /// Continues a transfer whose turn has come.
    ///
    /// - Returns: Whether the exchange is to be handed to libcurl now.
    func takeTurn(of pace: ExchangePace, _ now: MonotonicTime) throws(CurlCode) -> Bool {
        let turn = pace.takeTurn(now)
        if let waited = turn.waited { didWait(waited, until: now) }
        if let conversation {
            if !pace.isWaiting { conversation.resume() }
            return false
        }
        if pace.isHeld { return pace.release() }
        if turn.continues { try handle.resume() }
        return false
    }

    /// Counts the bytes that a conversation has moved in a turn, and pauses it after too many.
    ///
    /// - Returns: Whether it is paused.
    func paceConversation() -> Bool {
        guard let pace = policies.pace, let conversation else { return false }
        let moved = conversation.takeMoved()
        guard !conversation.isPaused else { return true }
        let now = MonotonicTime.now
        guard moved != (0, 0), pace.didMove(received: moved.received, sent: moved.sent, now: now)
        else { return false }
        watch.pause(at: now)
        conversation.pause()
        return true
    }

    /// Ends the exchange's part in the bandwidth: it no longer waits, and leaves its reserved bytes
    /// to the others.
    func endPace() {
        guard let pace = policies.pace else { return }
        let now = MonotonicTime.now
        if let waited = pace.end(now) { didWait(waited, until: now) }
    }

    private func didWait(_ duration: Duration, until now: MonotonicTime) {
        watch.resume(at: now)
        recorder.didWaitForBandwidth(duration)
    }

    /// Whether a piece of the response's body may be taken now; otherwise libcurl keeps it.
    func mayTake(_ count: Int) -> Bool {
        guard let pace = policies.pace else { return true }
        if !pace.hasReserved {
            let now = MonotonicTime.now
            guard pace.claim(count, length: response.contentLength, now: now) else {
                watch.pause(at: now)
                return false
            }
        }
        pace.didReceive(count)
        return true
    }

    /// Reads as much of the request's body as may leave now.
    func paced(
        _ buffer: inout MutableRawSpan,
        _ read: (inout MutableRawSpan) -> BodyRead
    ) -> BodyRead {
        guard let pace = policies.pace else { return read(&buffer) }
        let now = MonotonicTime.now
        let most = pace.mostToSend(now)
        guard most > 0 else {
            watch.pause(at: now)
            return .paused
        }
        var piece = buffer._mutatingExtracting(0..<min(most, buffer.byteCount))
        let result = pace.readMemory(into: &piece).map(BodyRead.bytes) ?? read(&piece)
        if case .bytes(let count) = result { pace.didSend(count, now: now) }
        return result
    }
}
