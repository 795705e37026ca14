internal import CurlKit
internal import SystemKit
internal import TransferModel

/// A conversation with its channel, its files and the TLS that one of its steps begins: moves their
/// bytes without waiting.
///
/// Lives on its engine's thread.
final class RunningConversation {
    /// The state after a turn.
    enum Turn {
        /// The connection or the time of the conversation will continue it.
        case waits
        /// There is more to do when other attempts have had their turn.
        case hasMore
        case isOver
    }

    private let channel: any ConversationChannel
    /// Owns this object.
    private unowned let host: any ConversationHost
    private var conversation: any Conversation
    /// Output that the channel has not taken yet, and how much of it has left.
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
    /// TLS, once a step has begun it.
    private var security: StreamSecurity?
    /// The last time for the end of TLS (close_notify) to leave; nil before the last step ends.
    private var farewellEnd: MonotonicTime?
    /// Whether the end waits for nothing more.
    private var isAbandoned = false
    /// The file that the running step sends.
    private var source: InputFile?
    /// Why the task's file has not taken all bytes.
    private var fileFailure: TransferFailure?

    /// The most bytes of a file that the conversation takes at once.
    static let pieceLimit = 64 << 10
    /// The bytes of one read may be two thousand messages, each with an answer.
    private static let bufferSize = 4 << 10
    /// How long a turn begins further steps.
    private static let turnTime = Duration.milliseconds(10)
    /// A peer that reads nothing delays the end by no more.
    private static let farewellTime = Duration.seconds(1)

    init(
        _ conversation: any Conversation,
        of host: any ConversationHost,
        over channel: any ConversationChannel,
        inShortTurns hasShortTurns: Bool
    ) {
        self.conversation = conversation
        self.host = host
        self.channel = channel
        self.hasShortTurns = hasShortTurns
    }

    /// When the conversation must get a turn; nil for never.
    var nextTime: MonotonicTime? { farewellEnd ?? conversation.nextTime }
    var failure: TransferFailure? { conversation.failure ?? fileFailure }
    var leavesResponse: Bool { conversation.leavesResponse }

    private var isOver: Bool { conversation.isOver && (farewellEnd == nil || isAbandoned) }

    /// Puts the outcome of the conversation into the attempt's result.
    func complete(_ result: inout AttemptResult) { conversation.complete(&result) }

    /// Ends the conversation from outside.
    func end(with failure: TransferFailure, at now: MonotonicTime) {
        isAbandoned = true
        conversation.end(with: failure, at: now)
    }

    /// Ends the channel below the conversation.
    func close() {
        // Last words inside of a message would be a part of it.
        channel.close(saying: sent == output.count ? conversation.farewell : [])
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
        try? channel.watch([])
    }

    /// Ends the pause; a turn follows.
    func resume() {
        isPaused = false
        wasPaused = true
    }

    // MARK: - Turns

    /// Writes, reads and lets the conversation continue, as far as nothing has to wait.
    func turn(at now: MonotonicTime) -> Turn {
        if isPaused || wasPaused {
            wasPaused = false
            conversation.excuseSilence(at: now)
        }
        if let time = nextTime, now >= time { tick(at: now) }
        if isPaused { return isOver ? .isOver : .waits }
        do throws(TransferFailure) {
            while !isOver {
                conversation.readBody(at: now)
                readFile(at: now)
                settle(at: now)
                let hasWritten = try write(at: now)
                let hasRead = try read(at: now)
                guard hasWritten || hasRead else { return try awaitChannel() }
                if hasShortTurns || .now - now > Self.turnTime { break }
            }
        } catch {
            end(with: error, at: now)
        }
        return isOver ? .isOver : .hasMore
    }

    private func tick(at now: MonotonicTime) {
        if let farewellEnd, now >= farewellEnd { isAbandoned = true }
        conversation.tick(at: now)
    }

    /// Waits for the channel.
    private func awaitChannel() throws(TransferFailure) -> Turn {
        if isOver { return .isOver }
        var interest: EventPoll.Interest = []
        if wantsInput, !hasPeerEnded { interest.insert(.readable) }
        if sent < output.count { interest.insert(.writable) }
        do throws(SystemError) {
            try channel.watch(interest)
        } catch {
            throw TransferFailure(reading: error, phase: .receive)
        }
        return .waits
    }

    /// Sends output; returns whether any has left.
    private func write(at now: MonotonicTime) throws(TransferFailure) -> Bool {
        if sent == output.count {
            (output, sent) = ([], 0)
            if hasOutput { output = try takeOutput() }
        }
        guard sent < output.count else {
            if conversation.endsSending, !hasEndedSending {
                hasEndedSending = true
                channel.shutDownSending()
            }
            return false
        }
        let output = output
        let count = try channel.write(output.span.extracting(sent..<output.count))
        guard count > 0 else { return false }
        sent += count
        moved.sent += count
        let carriesData = security?.carriesData ?? true
        guard sent == output.count else {
            if carriesData { conversation.didWriteSome(at: now) }
            return true
        }
        if farewellEnd != nil, security?.hasOutput != true { isAbandoned = true }
        if carriesData { conversation.didWrite(at: now) }
        settle(at: now)
        return true
    }

    /// Reads the bytes that have arrived; returns whether there are any.
    private func read(at now: MonotonicTime) throws(TransferFailure) -> Bool {
        guard wantsInput, !hasPeerEnded else { return false }
        switch try channel.read(into: &buffer) {
        case .nothing: return false
        case .end:
            hasPeerEnded = true
            if let security, !security.hasPeerEnded {
                conversation.receiveCut(isInHandshake: !security.isOpen, at: now)
            } else {
                conversation.receiveEnd(at: now)
            }
        case .cut:
            hasPeerEnded = true
            conversation.receiveCut(isInHandshake: false, at: now)
        case .bytes(let count):
            moved.received += count
            let arrived = buffer
            do throws(TransferFailure) {
                try receive(arrived.span.extracting(0..<count), at: now)
            } catch {
                // The bytes before the fault may have ended the last step.
                conversation.end(with: error, at: now)
            }
        }
        settle(at: now)
        return true
    }

    /// Carries out the decisions of the conversation.
    private func settle(at now: MonotonicTime) {
        if let successor = conversation.successor { conversation = successor }
        writeFile(at: now)
        settleSecurity(at: now)
    }
}

// MARK: - TLS

extension RunningConversation {
    private var wantsInput: Bool {
        if let security, !security.isOpen { return !isOver }
        return conversation.wantsInput
    }

    private var hasOutput: Bool {
        guard let security else { return conversation.hasOutput }
        return security.hasOutput || security.isOpen && conversation.hasOutput
    }

    private func takeOutput() throws(TransferFailure) -> [UInt8] {
        guard let security else { return conversation.takeOutput() }
        return try security.takeOutput(with: security.isOpen ? conversation.takeOutput() : [])
    }

    /// Gives the conversation the bytes that have arrived, decrypted if TLS has begun.
    private func receive(_ bytes: Span<UInt8>, at now: MonotonicTime) throws(TransferFailure) {
        guard let security else { return conversation.receive(bytes, at: now) }
        if try security.advance(with: bytes) {
            conversation.didSecure(with: security.facts, at: now)
        }
        while true {
            let plain = try security.next()
            guard !plain.isEmpty else { break }
            conversation.receive(plain.span, at: now)
        }
        if security.hasPeerEnded { conversation.receiveEnd(at: now) }
    }

    /// Begins TLS where the running step does, and ends it with the conversation.
    private func settleSecurity(at now: MonotonicTime) {
        if conversation.wantsSecurity, security == nil {
            do throws(TransferFailure) {
                let begun = try host.beginSecurity()
                _ = try begun.advance(with: [UInt8]().span)
                security = begun
            } catch {
                conversation.end(with: error, at: now)
            }
        }
        guard let security, conversation.failure == nil else { return }
        if conversation.endsSending || conversation.isOver { security.end() }
        if conversation.isOver, farewellEnd == nil, security.hasOutput {
            farewellEnd = now + Self.farewellTime
        }
    }
}

// MARK: - Files

extension RunningConversation {
    /// Adds the bytes of the conversation to the task's file.
    private func writeFile(at now: MonotonicTime) {
        let bytes = conversation.takeFileBytes()
        guard !bytes.isEmpty else { return }
        do throws(SystemError) {
            try host.writeFile(bytes.span)
        } catch {
            // Done steps do not make the file complete.
            let failure = TransferFailure(error, phase: .receive)
            fileFailure = failure
            conversation.fail(with: failure, at: now)
        }
    }

    /// Reads the pieces of a file that a step sends.
    private func readFile(at now: MonotonicTime) {
        while let wanted = conversation.wantedFile {
            do throws(TransferFailure) {
                let (piece, isLast) = try piece(at: wanted)
                if isLast, !wanted.isWantedAgain { source = nil }
                conversation.send(piece: piece, isLast: isLast, at: now)
            } catch {
                source = nil
                conversation.fail(with: error, at: now)
            }
        }
    }

    private func piece(
        at wanted: WantedFile
    ) throws(TransferFailure) -> (bytes: [UInt8], isLast: Bool) {
        do throws(SystemError) {
            let content: InputFile
            if let source {
                content = source
            } else {
                content = try InputFile(path: wanted.path)
                source = content
            }
            let size = content.identity.size
            let count = max(0, min(Int64(Self.pieceLimit), size - wanted.offset))
            let bytes = count > 0 ? try content.read(at: wanted.offset, count: Int(count)) : []
            if bytes.count == count, content.isUnchanged {
                return (bytes, wanted.offset + count >= size)
            }
        } catch {
            throw TransferFailure(reading: error, phase: .send)
        }
        throw TransferFailure(
            kind: .localIO,
            phase: .send,
            detail: "\(wanted.path) has changed while it was sent",
            urlError: .requestBodyStreamExhausted,
            isPermanent: true
        )
    }
}

/// The carrier of a conversation's bytes: a connection that libcurl opened, or the pipes of a
/// program.
///
/// No call waits. Lives on its engine's thread.
protocol ConversationChannel: AnyObject {
    /// Writes the beginning of some bytes, at least one; returns how many left, 0 when it must be
    /// writable first.
    func write(_ bytes: Span<UInt8>) throws(TransferFailure) -> Int
    /// Reads the received bytes into a buffer.
    func read(into buffer: inout [UInt8]) throws(TransferFailure) -> RawConnection.Received
    /// Waits for events; an empty set waits for nothing.
    func watch(_ interest: EventPoll.Interest) throws(SystemError)
    /// Tells the peer that nothing more will be sent.
    func shutDownSending()
    /// Ends the channel with some last bytes, which may get lost.
    func close(saying farewell: [UInt8])
}

extension RawConnection: ConversationChannel {
    func write(_ bytes: Span<UInt8>) throws(TransferFailure) -> Int {
        do throws(CurlCode) {
            return try send(bytes)
        } catch {
            throw TransferFailure(ExchangeEnd(code: error, phase: .send))
        }
    }

    func read(into buffer: inout [UInt8]) throws(TransferFailure) -> Received {
        do throws(CurlCode) {
            return try receive(into: &buffer)
        } catch {
            let end = ExchangeEnd(code: error, phase: .receive, detail: errorDetail)
            // libcurl before 8.0 takes this error for a regular end.
            if end.lacksCloseNotify { return .cut }
            throw TransferFailure(ExchangeEnd(code: error, phase: .receive))
        }
    }

    // The multi handle closes the connection when it removes the easy handle.
    func close(saying farewell: [UInt8]) {}
}
