/// A rule that the server's bytes break; the client fails the connection (RFC 6455 §7.1.7).
package enum ProtocolFault: Error, Sendable, Hashable {
    /// Reserved bits, 0x10 to 0x70, of a frame's first byte are set without an extension (§5.2).
    case reservedBits(UInt8)
    /// A frame has a reserved opcode, 3 to 7 or 11 to 15 (§5.2).
    case reservedOpcode(UInt8)
    /// A frame of the server is masked (§5.1).
    case maskedFrame
    /// A control frame is not its message's only fragment (§5.5).
    case fragmentedControlFrame(Opcode)
    /// A control frame has more than 125 bytes of payload (§5.5).
    case longControlFrame(Opcode)
    /// A payload's length has more bytes than it needs (§5.2).
    case lengthNotMinimal(Int)
    /// A payload's length has more than 63 bits (§5.2).
    case lengthTooLarge
    /// A continuation frame has no message to continue (§5.4).
    case continuationWithoutMessage
    /// A text or binary frame follows before the last fragment of another message (§5.4).
    case messageInsideMessage
    /// A Close frame has one byte of payload, half of a code (§5.5.1).
    case closeCodeCut
    /// A Close frame has a code that no frame may have (§7.4).
    case closeCode(CloseCode)
    /// A Close frame's reason is not UTF-8 (§5.5.1).
    case closeReasonNotUTF8
    /// A text message is not UTF-8; its first wrong byte has this index, or it ends inside of a
    /// character (§8.1).
    case textNotUTF8(at: Int)
    /// A message announces or has more bytes than the limit (§10.4).
    case messageTooLarge(limit: Int)

    /// The code of the Close frame for the server (§7.4.1).
    package var closeCode: CloseCode {
        switch self {
        case .closeReasonNotUTF8, .textNotUTF8: .invalidPayload
        case .messageTooLarge: .messageTooLarge
        default: .protocolError
        }
    }

    /// The server's fault as a sentence of at most 123 bytes, also the reason of the Close frame.
    package var message: String {
        switch self {
        case .reservedBits(let bits):
            "the server set the reserved bits 0x\(String(bits, radix: 16)) of a frame"
        case .reservedOpcode(let number):
            "the server sent a frame with the reserved opcode \(number)"
        case .maskedFrame: "the server masked a frame"
        case .fragmentedControlFrame(let opcode): "the server fragmented a \(opcode) frame"
        case .longControlFrame(let opcode):
            "the server sent a \(opcode) frame with more than 125 bytes"
        case .lengthNotMinimal(let length):
            "the server encoded the length \(length) with more bytes than it needs"
        case .lengthTooLarge: "the server sent a frame with a length of 64 bits"
        case .continuationWithoutMessage: "the server continued a message that it had not begun"
        case .messageInsideMessage: "the server began a message before the end of another one"
        case .closeCodeCut: "the server sent a close frame with half of a code"
        case .closeCode(let code):
            "the server closed with the code \(code.rawValue), which no frame may have"
        case .closeReasonNotUTF8: "the server sent a close reason that is not UTF-8"
        case .textNotUTF8(let index): "the server sent text that is not UTF-8 at byte \(index)"
        case .messageTooLarge(let limit): "the server sent a message of more than \(limit) bytes"
        }
    }
}
