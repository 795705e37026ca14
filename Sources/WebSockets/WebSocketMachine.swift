internal import SystemKit

/// The client's side of one WebSocket connection after its opening handshake (RFC 6455 §5 to §8).
///
/// A value without socket, clock or thread: the caller gives it the bytes that arrive, writes the
/// bytes of `takeOutput` and obeys `transport`. The events of some bytes are the same however the
/// bytes are cut.
///
/// Memory is bounded by `maximumMessageSize`, by the frames that the application sends and does not
/// take, and by a constant; `heldByteCount` says how much is in use.
package struct WebSocketMachine: Sendable {
    /// How far the closing handshake has come.
    ///
    /// Next states: `open` → `closeSent`, `closed`, `failed`, `ended`; `closeSent` → `closed`,
    /// `failed`, `ended`; `closed` and `failed` → `ended`.
    private enum Phase: Sendable {
        case open
        /// The client's Close frame is sent; the server's messages still count (§1.4).
        case closeSent
        /// Both Close frames are sent; later bytes are ignored (§1.4).
        case closed
        /// The server broke the protocol; later bytes are ignored (§7.1.7).
        case failed
        case ended
    }

    /// The caller's next step with the connection below, after it has written the output.
    package enum Transport: Sendable, Hashable {
        /// Read on.
        case read
        /// Wait until the server closes the connection, which it should do first (§7.1.1); close it
        /// after a reasonable time.
        case awaitEnd
        /// Close the connection.
        case close
    }

    private var phase = Phase.open
    private var decoder = FrameDecoder()
    private var frame = FrameHeader(isFinal: true, opcode: .continuation, payloadLength: 0)
    private var control: [UInt8] = []
    private var assembly: MessageAssembly
    private var sending = MessageSending()
    private var pings = UnansweredPings()
    private var output: OutputQueue
    /// The server's Close frame.
    private var closing: Closing?

    /// Creates a machine for an open connection.
    ///
    /// - Parameters:
    ///   - maximumMessageSize: The most bytes of a received message; a longer one fails the
    ///     connection with 1009. A negative number is 0.
    ///   - maskingKeys: The source of masking keys; it must be unpredictable for the server's
    ///     application and for scripts (§5.3, §10.3), as `SystemRandomNumberGenerator` is.
    package init(
        maximumMessageSize: Int,
        maskingKeys: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        assembly = MessageAssembly(maximumSize: max(0, maximumMessageSize))
        output = OutputQueue(maskingKeys: maskingKeys)
    }

    // MARK: State

    /// The caller's next step with the connection below.
    package var transport: Transport {
        switch phase {
        case .open, .closeSent: .read
        case .closed: .awaitEnd
        case .failed, .ended: .close
        }
    }

    /// Whether messages and pings may be sent.
    package var isOpen: Bool { phase == .open }

    /// The number of pings that the server has not answered.
    package var unansweredPingCount: Int { pings.count }

    /// Whether `takeOutput` has bytes.
    package var hasOutput: Bool { !output.isEmpty }

    /// The bytes that the machine keeps of messages, control frames and output.
    package var heldByteCount: Int { assembly.heldByteCount + control.count + output.count }

    /// Returns the masked frames for the connection and forgets them.
    package mutating func takeOutput() -> [UInt8] { output.take() }

    // MARK: Receiving

    /// Takes bytes from the connection, in any pieces; returns their events in order.
    ///
    /// Bytes after the server's Close frame, a fault or the end are ignored.
    package mutating func receive(_ bytes: Span<UInt8>) -> [ConnectionEvent] {
        var events: [ConnectionEvent] = []
        var offset = 0
        do throws(ProtocolFault) {
            while transport == .read, let piece = try decoder.next(in: bytes, from: &offset) {
                if let event = try take(piece, of: bytes) { events.append(event) }
            }
        } catch {
            fail(error)
            events.append(.failed(error))
        }
        return events
    }

    /// Takes the end of the connection, whichever side has closed it; returns the last event.
    ///
    /// Output that is not taken stays: a server that has closed only its own side still reads.
    package mutating func receiveEnd() -> [ConnectionEvent] {
        guard phase != .ended else { return [] }
        let end = ConnectionEnd(
            code: closing.map { $0.code ?? .noStatusReceived } ?? .abnormalClosure,
            reason: closing?.reason ?? "",
            isClean: phase == .closed,
            isInsideMessage: transport == .read
                && (assembly.isInsideMessage || !decoder.isBetweenFrames)
        )
        phase = .ended
        forgetInput()
        return [.ended(end)]
    }

    private mutating func take(
        _ piece: FrameDecoder.Piece,
        of bytes: Span<UInt8>
    ) throws(ProtocolFault) -> ConnectionEvent? {
        switch piece {
        case .header(let header):
            frame = header
            if !header.opcode.isControl { try assembly.begin(header) }
            return nil
        case .payload(let range, let isLast):
            let payload = bytes.extracting(range)
            guard frame.opcode.isControl else {
                try assembly.append(payload)
                guard isLast, frame.isFinal else { return nil }
                return try assembly.finish().map(ConnectionEvent.message)
            }
            control.append(payload)
            return isLast ? try takeControl() : nil
        }
    }

    /// Takes a whole control frame (§5.5).
    private mutating func takeControl() throws(ProtocolFault) -> ConnectionEvent {
        let payload = control
        control = []
        switch frame.opcode {
        case .ping:
            // §5.5.2: answered until the server's Close frame, also after the client's own.
            output.appendPong(payload)
            return .ping(payload)
        case .pong:
            return .pong(payload, answered: pings.answer(payload))
        default:
            let closing = try Closing(payload: payload)
            // §5.5.1: the answer repeats the code.
            if phase == .open { output.appendClose(Closing(code: closing.code)) }
            self.closing = closing
            phase = .closed
            forgetInput()
            return .closing(closing)
        }
    }

    /// Fails the connection (§7.1.7): tells the server why, unless a Close frame was sent before.
    private mutating func fail(_ fault: ProtocolFault) {
        if phase == .open {
            output.appendClose(Closing(code: fault.closeCode, reason: fault.message))
        }
        phase = .failed
        forgetInput()
    }

    private mutating func forgetInput() {
        assembly.clear()
        control = []
    }

    // MARK: Sending

    /// Sends a message as one frame (§5.6).
    package mutating func send(_ message: Message) throws(SendRefusal) {
        try checkOpen()
        guard !sending.isInsideMessage else { throw .messageIsUnfinished }
        output.append(message.kind == .text ? .text : .binary, payload: message.bytes.span)
    }

    /// Sends the next fragment of a message (§5.4), so that a long message needs little memory.
    ///
    /// Text may be cut inside of a character. Pings and pongs may go out between the fragments.
    package mutating func send(
        fragment: Span<UInt8>,
        of kind: Message.Kind,
        isFinal: Bool
    ) throws(SendRefusal) {
        try checkOpen()
        let opcode = try sending.take(fragment, of: kind, isFinal: isFinal)
        output.append(opcode, isFinal: isFinal, payload: fragment)
    }

    /// Sends a ping with a payload of at most 125 bytes (§5.5.2).
    package mutating func ping(_ payload: [UInt8] = []) throws(SendRefusal) {
        try checkOpen()
        guard payload.count <= Opcode.controlPayloadLimit else { throw .longPing(payload.count) }
        try pings.append(payload)
        output.append(.ping, payload: payload.span)
    }

    /// Begins the closing handshake (§7.1.2), also inside of a fragmented message.
    ///
    /// Without a code the Close frame is empty. Messages still arrive until the server's own Close
    /// frame; the caller sets a limit of time and then closes the connection.
    package mutating func close(
        code: CloseCode? = .normalClosure,
        reason: String = ""
    ) throws(SendRefusal) {
        try checkOpen()
        if let code, !code.isAllowedInFrame { throw .closeCode(code) }
        guard code != nil || reason.isEmpty else { throw .reasonWithoutCode }
        guard reason.utf8.count <= Closing.reasonLimit else {
            throw .longReason(reason.utf8.count)
        }
        output.appendClose(Closing(code: code, reason: reason))
        phase = .closeSent
    }

    private func checkOpen() throws(SendRefusal) {
        switch phase {
        case .open: return
        case .closeSent, .closed: throw .isClosing
        case .failed, .ended: throw .hasEnded
        }
    }
}

/// The meaning of the server's bytes for the application.
package enum ConnectionEvent: Sendable, Hashable {
    /// A whole message arrived.
    case message(Message)
    /// A ping with this payload arrived, which the machine answers.
    case ping([UInt8])
    /// A pong with this payload arrived; it answers this many pings, 0 if unsolicited.
    case pong([UInt8], answered: Int)
    /// The server's Close frame arrived; no message follows.
    case closing(Closing)
    /// The server broke the protocol; no later bytes are read.
    case failed(ProtocolFault)
    /// The transport has ended; the last event.
    case ended(ConnectionEnd)
}

/// How a connection has ended (RFC 6455 §7.1.4 to §7.1.6).
package struct ConnectionEnd: Sendable, Hashable {
    /// The code of the server's Close frame; 1005 if the frame had none, 1006 without a frame.
    package var code: CloseCode
    /// The reason of the server's Close frame, otherwise empty.
    package var reason: String
    /// Whether both sides had sent a Close frame (§7.1.4).
    package var isClean: Bool
    /// Whether a message or frame had begun and not ended.
    package var isInsideMessage: Bool

    /// Creates the values of an end.
    package init(code: CloseCode, reason: String, isClean: Bool, isInsideMessage: Bool) {
        self.code = code
        self.reason = reason
        self.isClean = isClean
        self.isInsideMessage = isInsideMessage
    }
}

/// The client's pings that have no answer yet, oldest first (RFC 6455 §5.5.2, §5.5.3).
struct UnansweredPings: Sendable {
    private var payloads: [[UInt8]] = []

    /// The most pings that are remembered.
    static let limit = 64

    /// The number of pings without an answer.
    var count: Int { payloads.count }

    /// Remembers a ping that is sent.
    mutating func append(_ payload: [UInt8]) throws(SendRefusal) {
        guard payloads.count < Self.limit else { throw .manyPings(payloads.count) }
        payloads.append(payload)
    }

    /// Takes a pong's payload and returns how many pings it answers.
    ///
    /// A server that got several pings may answer only the latest, so a pong answers the oldest
    /// ping with its payload and every ping before that one. An unsolicited pong answers none.
    mutating func answer(_ payload: [UInt8]) -> Int {
        guard let index = payloads.firstIndex(of: payload) else { return 0 }
        payloads.removeFirst(index + 1)
        return index + 1
    }
}
