/// The frames of a WebSocket server in plain code, apart from the code that reads them (RFC 6455
/// §5.2).
package enum ServerFrame {
    /// The opcode of a further fragment.
    package static let continuation: UInt8 = 0
    /// The opcode of a text message.
    package static let text: UInt8 = 1
    /// The opcode of a binary message.
    package static let binary: UInt8 = 2
    /// The opcode of a Close frame.
    package static let close: UInt8 = 8
    /// The opcode of a ping.
    package static let ping: UInt8 = 9
    /// The opcode of a pong.
    package static let pong: UInt8 = 10

    /// A frame without a mask, also an invalid one.
    ///
    /// - Parameters:
    ///   - opcode: 0 to 15.
    ///   - payload: The bytes.
    ///   - isFinal: Whether the frame is the last fragment.
    ///   - reserved: The reserved bits as a number, 0 to 7.
    ///   - lengthBytes: Bytes of the extended length: 0, 2 or 8; by default as few as possible.
    /// - Returns: The bytes of the frame.
    package static func make(
        _ opcode: UInt8,
        _ payload: [UInt8] = [],
        isFinal: Bool = true,
        reserved: UInt8 = 0,
        lengthBytes: Int? = nil
    ) -> [UInt8] {
        let count = payload.count
        let lengthBytes = lengthBytes ?? (count < 126 ? 0 : count < 65536 ? 2 : 8)
        func digits(_ byteCount: Int) -> [UInt8] {
            (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
        }
        let length: [UInt8] =
            switch lengthBytes {
            case 0: digits(1)
            case 2: [126] + digits(2)
            default: [127] + digits(8)
            }
        return [(isFinal ? 0x80 : 0) | reserved << 4 | opcode] + length + payload
    }

    /// A text message or its first fragment.
    package static func text(_ text: String, isFinal: Bool = true) -> [UInt8] {
        make(self.text, Array(text.utf8), isFinal: isFinal)
    }

    /// A further fragment.
    package static func next(_ text: String, isFinal: Bool = true) -> [UInt8] {
        make(continuation, Array(text.utf8), isFinal: isFinal)
    }

    /// A ping.
    package static func ping(_ text: String) -> [UInt8] { make(ping, Array(text.utf8)) }

    /// A pong.
    package static func pong(_ text: String) -> [UInt8] { make(pong, Array(text.utf8)) }

    /// A Close frame with a code, also an invalid one.
    package static func close(_ code: UInt16, _ reason: String = "") -> [UInt8] {
        make(close, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason.utf8)
    }
}
