/// The properties of a frame that stand before its payload (RFC 6455 §5.2), of a frame without a
/// mask.
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
