internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The part of one attempt in its session's bandwidth: how much it may move at once, and whether
/// it waits for its turn.
///
/// Counts bytes and decides; the exchange pauses the transfer. Lives on its engine's thread.
final class ExchangePace {
    /// One direction of the attempt.
    private struct Way {
        /// The reserved bytes that are left.
        var allowance = 0
        /// The sum of granted bytes at which it may continue; nil while it does not wait.
        var place: Double?
    }

    /// The cost of a request before its size is known: the heads of the request and of the
    /// response.
    private static let headEstimate = 1 << 10

    private let pacer: SessionPacer
    private let key: Int
    private var down = Way()
    private var up = Way()
    /// The body bytes of the response so far.
    private var received: Int64 = 0
    /// The most bytes that libcurl reads at once.
    private var bufferSize = 0
    /// Whether the exchange has not been handed to libcurl yet.
    private(set) var isHeld = false
    /// The body that libcurl would otherwise send at its own pace, and how much of it was read.
    private var memory: (bytes: [UInt8], offset: Int)?
    /// Smaller bodies in memory are counted and never wait.
    private static let smallestBody = 16 << 10
    /// The start of the present wait; nil while the attempt does not wait.
    private var waitStart: MonotonicTime?

    init(_ pacer: SessionPacer, key: Int) {
        self.pacer = pacer
        self.key = key
    }

    /// Whether the attempt waits for its turn.
    var isWaiting: Bool { waitStart != nil }

    // MARK: - Before the request

    /// Changes the next exchange's request so that its bytes can be counted.
    ///
    /// - Returns: Whether the exchange must wait before it is handed to libcurl.
    func holds(_ request: EasyRequest, _ now: MonotonicTime) -> Bool {
        bufferSize = min(pacer.limit.part(.down) / 2, EasyRequest.largestReceiveBuffer)
        request.receiveBufferSize = bufferSize
        memory = nil
        if case .bytes(let bytes) = request.body, pacer.limit.limitsUploads {
            if bytes.count > Self.smallestBody {
                memory = (bytes, 0)
                request.body = .stream(size: Int64(bytes.count))
            } else {
                didSendUnasked(bytes.count)
            }
        }
        isHeld = mustWait(now)
        return isHeld
    }

    /// Whether a held exchange may begin now.
    func release() -> Bool {
        isHeld = isWaiting
        return !isHeld
    }

    private func mustWait(_ now: MonotonicTime) -> Bool {
        received = 0
        settle(&down, .down, now)
        settle(&up, .up, now)
        down.place = pacer.limit.reserve(Self.headEstimate, .down, now: now)
        guard let place = down.place else { return false }
        down.allowance = Self.headEstimate
        wait(place, .down, now)
        return true
    }

    // MARK: - Bytes

    /// Gives the next piece of a body in memory; nil for another body.
    func readMemory(into buffer: inout MutableRawSpan) -> Int? {
        guard let (bytes, offset) = memory else { return nil }
        let count = buffer.update(from: bytes.span.extracting(droppingFirst: offset))
        memory?.offset += count
        return count
    }

    /// Begins a body in memory anew.
    func rewindMemory() { memory?.offset = 0 }

    /// Counts received bytes that cannot wait, such as a head.
    func didReceiveUnasked(_ count: Int) { down.allowance -= count }

    /// Counts sent bytes that cannot wait, such as a head.
    func didSendUnasked(_ count: Int) { up.allowance -= count }

    /// Whether reserved bytes are left, so that the attempt may receive more without a question.
    var hasReserved: Bool {
        @inline(__always) get { down.allowance > 0 && down.place == nil }
    }

    /// Counts a piece of the response's body.
    @inline(__always)
    func didReceive(_ count: Int) {
        received += Int64(count)
        down.allowance -= count
    }

    /// Claims a piece of the response's body, and reserves bytes for the pieces after it; false
    /// when the attempt must wait for its turn.
    func claim(_ count: Int, length: Int64?, now: MonotonicTime) -> Bool {
        if let place = down.place {
            // Another event has made libcurl continue.
            guard pacer.limit.time(of: place, .down, now: now) <= now else { return false }
            down.place = nil
        }
        if down.allowance > 0 { return true }
        settle(&down, .down, now)
        // A part below one read of libcurl would let libcurl's kept bytes grow. The last wait comes
        // before libcurl has read all: version 8 waits in circles after an end.
        let half = max(pacer.limit.part(.down) / 2, bufferSize)
        let rest = length.map { $0 - received } ?? .max
        let wanted = max(count, rest - Int64(half) <= bufferSize ? Int(rest) : half)
        guard let place = pacer.limit.reserve(wanted, .down, now: now) else { return true }
        (down.place, down.allowance) = (place, wanted)
        wait(place, .down, now)
        return false
    }

    /// The most bytes of the request's body that may leave now; 0 pauses it.
    func mostToSend(_ now: MonotonicTime) -> Int {
        if let place = up.place {
            guard pacer.limit.time(of: place, .up, now: now) <= now else { return 0 }
            up.place = nil
        }
        if up.allowance > 0 { return up.allowance }
        if up.allowance < 0 { settle(&up, .up, now) }
        let part = pacer.limit.part(.up)
        guard let place = pacer.limit.reserve(part, .up, now: now) else { return part }
        (up.place, up.allowance) = (place, part)
        wait(place, .up, now)
        return 0
    }

    /// Counts bytes of the request's body.
    func didSend(_ count: Int, now: MonotonicTime) {
        up.allowance -= count
        if up.allowance < 0 { settle(&up, .up, now) }
    }

    /// Counts bytes of a conversation, which has no parts of a known size.
    ///
    /// - Returns: Whether it must pause.
    func didMove(received: Int, sent: Int, now: MonotonicTime) -> Bool {
        down.allowance -= received
        up.allowance -= sent
        settle(&down, .down, now)
        settle(&up, .up, now)
        if down.place == nil { down.place = pacer.limit.reserve(0, .down, now: now) }
        if up.place == nil { up.place = pacer.limit.reserve(0, .up, now: now) }
        if let place = down.place { wait(place, .down, now) }
        if let place = up.place { wait(place, .up, now) }
        return isWaiting
    }

    // MARK: - Waits

    /// Takes the turns that have come.
    ///
    /// - Returns: Whether libcurl is to continue, and how long a wait was that ends now.
    func takeTurn(_ now: MonotonicTime) -> (continues: Bool, waited: Duration?) {
        let isDue = [takeTurn(&down, .down, now), takeTurn(&up, .up, now)].contains(true)
        guard down.place == nil, up.place == nil, let start = waitStart else { return (isDue, nil) }
        waitStart = nil
        // The body may rest since another event has made libcurl continue.
        return (true, now - start)
    }

    private func takeTurn(
        _ way: inout Way,
        _ direction: BandwidthLimit.Direction,
        _ now: MonotonicTime
    ) -> Bool {
        guard let place = way.place else { return false }
        guard pacer.limit.time(of: place, direction, now: now) <= now else { return false }
        way.place = nil
        return true
    }

    /// Ends the attempt's part: its reserved but unused bytes are for the others.
    ///
    /// - Returns: How long the present wait was; nil without one.
    func end(_ now: MonotonicTime) -> Duration? {
        isHeld = false
        memory = nil
        (down.place, up.place) = (nil, nil)
        settle(&down, .down, now)
        settle(&up, .up, now)
        defer { waitStart = nil }
        return waitStart.map { now - $0 }
    }

    private func wait(_ place: Double, _ direction: BandwidthLimit.Direction, _ now: MonotonicTime)
    {
        waitStart = waitStart ?? now
        pacer.add(key, place, direction, now)
    }

    /// Spends the bytes moved beyond the reserved ones, or gives back the unused ones.
    private func settle(
        _ way: inout Way,
        _ direction: BandwidthLimit.Direction,
        _ now: MonotonicTime
    ) {
        if way.allowance < 0 {
            _ = pacer.limit.spend(-way.allowance, direction, now: now)
        } else if way.allowance > 0 {
            pacer.limit.giveBack(way.allowance, direction)
        }
        way.allowance = 0
    }
}

// Lets libcurl keep the bytes of an exchange whose turn under the session's bandwidth has not come.
extension ExchangePace {
    /// Continues a transfer whose turn has come.
    ///
    /// - Returns: Whether the exchange may be handed to libcurl now.
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
