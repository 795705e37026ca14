internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Moves the bytes of a conversation over its connection, without waiting.
///
/// Lives on its engine's thread.
final class Dialogue {
    /// The state after a turn.
    enum Turn {
        /// The connection or the time of the conversation will continue it.
        case waits
        /// There is more to do when other attempts have had their turn.
        case hasMore
        case isOver
    }

    private let connection: any DialogueChannel
    /// Kept for the conversation, which does not own it.
    private let host: AnyObject
    private var conversation: any Conversation
    /// Output that the connection has not taken yet, and how much of it has left.
    private var output: [UInt8] = []
    private var sent = 0
    private var buffer = [UInt8](repeating: 0, count: bufferSize)
    private var hasEndedSending = false
    private var hasPeerEnded = false
    /// The bytes in each direction since they were last taken.
    private var moved = (received: 0, sent: 0)
    /// Whether the session's bandwidth makes the conversation wait.
    private(set) var isPaused = false
    /// Whether such a wait has ended since the last turn.
    private var wasPaused = false
    /// Whether a turn is one read and one write, so that a pause after it is short.
    private let hasShortTurns: Bool

    /// A piece may be two thousand messages, each with an answer.
    private static let bufferSize = 4 << 10
    /// How long a turn begins further steps.
    private static let turnTime = Duration.milliseconds(10)

    init(
        _ conversation: any Conversation,
        with host: AnyObject,
        over connection: any DialogueChannel,
        inShortTurns hasShortTurns: Bool
    ) {
        self.conversation = conversation
        self.host = host
        self.connection = connection
        self.hasShortTurns = hasShortTurns
    }

    /// When the conversation must get a turn; nil for never.
    var nextTime: MonotonicTime? { conversation.nextTime }
    var failure: TransferFailure? { conversation.failure }
    var leavesResponse: Bool { conversation.leavesResponse }

    /// Puts the outcome of the conversation into the attempt's result.
    func complete(_ result: inout AttemptResult) { conversation.complete(&result) }

    /// Ends the conversation from outside.
    func end(with failure: TransferFailure, at now: MonotonicTime) {
        conversation.end(with: failure, at: now)
    }

    /// Ends the channel below the conversation.
    func close() {
        // Last words inside of a message would be a part of it.
        connection.close(saying: sent == output.count ? conversation.farewell : [])
    }

    /// Takes the bytes that were moved since the last call.
    func takeMoved() -> (received: Int, sent: Int) {
        defer { moved = (0, 0) }
        return moved
    }

    /// Moves no bytes until `resume`; the steps of the conversation keep their times, but the wait
    /// is no silence of the peer.
    func pause() {
        isPaused = true
        // Without a watch, or with one that cannot be changed, a turn moves nothing either.
        try? connection.watch([])
    }

    /// Ends the pause; a turn follows.
    func resume() {
        isPaused = false
        wasPaused = true
    }

    /// Writes, reads and lets the conversation continue, as far as nothing has to wait.
    func turn(at now: MonotonicTime) -> Turn {
        if isPaused || wasPaused {
            wasPaused = false
            conversation.excuseSilence(at: now)
        }
        if let time = conversation.nextTime, now >= time { conversation.tick(at: now) }
        if isPaused { return conversation.isOver ? .isOver : .waits }
        do throws(TransferFailure) {
            while !conversation.isOver {
                try conversation.moveFiles(at: now)
                let hasWritten = try write(at: now)
                let hasRead = try read(at: now)
                guard hasWritten || hasRead else { return try awaitSocket() }
                if hasShortTurns || .now - now > Self.turnTime { break }
            }
        } catch {
            conversation.end(with: error, at: now)
        }
        return conversation.isOver ? .isOver : .hasMore
    }

    /// Waits for the socket.
    private func awaitSocket() throws(TransferFailure) -> Turn {
        if conversation.isOver { return .isOver }
        var interest: EventPoll.Interest = []
        if conversation.wantsInput, !hasPeerEnded { interest.insert(.readable) }
        if sent < output.count { interest.insert(.writable) }
        do throws(SystemError) {
            try connection.watch(interest)
        } catch {
            throw TransferFailure(reading: error, phase: .receive)
        }
        return .waits
    }

    /// Sends output; returns whether any has left.
    private func write(at now: MonotonicTime) throws(TransferFailure) -> Bool {
        if sent == output.count {
            (output, sent) = (conversation.hasOutput ? conversation.takeOutput() : [], 0)
        }
        guard sent < output.count else {
            if conversation.endsSending, !hasEndedSending {
                hasEndedSending = true
                connection.shutDownSending()
            }
            return false
        }
        let output = output
        let count = try connection.write(output.span.extracting(sent..<output.count))
        guard count > 0 else { return false }
        sent += count
        moved.sent += count
        if sent == output.count {
            conversation.didWrite(at: now)
        } else {
            conversation.didWriteSome(at: now)
        }
        return true
    }

    /// Reads the bytes that have arrived; returns whether there are any.
    private func read(at now: MonotonicTime) throws(TransferFailure) -> Bool {
        guard conversation.wantsInput, !hasPeerEnded else { return false }
        switch try connection.read(into: &buffer) {
        case .nothing: return false
        case .end:
            hasPeerEnded = true
            conversation.receiveEnd(at: now)
        case .cut:
            hasPeerEnded = true
            conversation.receiveCut(at: now)
        case .bytes(let count):
            moved.received += count
            let arrived = buffer
            conversation.receive(arrived.span.extracting(0..<count), at: now)
        }
        return true
    }
}
