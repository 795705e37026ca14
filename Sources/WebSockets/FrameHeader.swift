/// The properties of a frame that precede its payload (RFC 6455 §5.2), of a frame without a mask.
package struct FrameHeader: Sendable, Hashable {
    /// Whether the frame is the last fragment of its message.
    package var isFinal: Bool
    /// The kind of frame.
    package var opcode: Opcode
    /// Bytes of payload, 0 to 2⁶³ − 1.
    package var payloadLength: Int

    /// Creates a header without checks.
    package init(isFinal: Bool, opcode: Opcode, payloadLength: Int) {
        self.isFinal = isFinal
        self.opcode = opcode
        self.payloadLength = payloadLength
    }
}

/// The kind of a frame (RFC 6455 §5.2); all other numbers are reserved.
package enum Opcode: UInt8, Sendable, Hashable {
    /// A further fragment of a message.
    case continuation = 0
    /// The first or only fragment of a text message.
    case text = 1
    /// The first or only fragment of a binary message.
    case binary = 2
    /// Begins or ends the closing handshake.
    case close = 8
    /// Asks for a pong with the same payload.
    case ping = 9
    /// Answers a ping.
    case pong = 10

    /// Whether the frame is a control frame: never fragmented, at most 125 bytes, allowed between
    /// the fragments of a message (§5.5).
    package var isControl: Bool { rawValue >= 8 }

    /// The most bytes of a control frame's payload (§5.5).
    package static let controlPayloadLimit = 125
}
