/// A frame that a WebSocket client has sent, read in plain code, apart from the code that writes it
/// (RFC 6455 §5.2).
package struct ClientFrame: Sendable, Hashable, CustomStringConvertible {
    /// Whether the frame is the last fragment.
    package var isFinal: Bool
    /// 0 to 15.
    package var opcode: UInt8
    /// The bytes without their mask.
    package var payload: [UInt8]

    /// Creates a frame to compare with.
    package init(isFinal: Bool = true, opcode: UInt8, payload: [UInt8] = []) {
        self.isFinal = isFinal
        self.opcode = opcode
        self.payload = payload
    }

    /// A whole text message.
    package static func text(_ text: String) -> ClientFrame {
        ClientFrame(opcode: ServerFrame.text, payload: Array(text.utf8))
    }

    /// A ping.
    package static func ping(_ text: String) -> ClientFrame {
        ClientFrame(opcode: ServerFrame.ping, payload: Array(text.utf8))
    }

    /// A pong.
    package static func pong(_ text: String) -> ClientFrame {
        ClientFrame(opcode: ServerFrame.pong, payload: Array(text.utf8))
    }

    /// A Close frame; without a code its payload is empty.
    package static func close(_ code: UInt16?, _ reason: String = "") -> ClientFrame {
        let digits = code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []
        return ClientFrame(opcode: ServerFrame.close, payload: digits + reason.utf8)
    }

    /// Reads frames; nil unless they are whole, masked, with lengths as short as possible.
    package static func read(_ bytes: [UInt8]) -> [ClientFrame]? {
        var frames: [ClientFrame] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            guard first & 0x70 == 0, let second = rest.popFirst(), second & 0x80 != 0 else {
                return nil
            }
            var count = Int(second & 0x7F)
            let lengthBytes = count == 126 ? 2 : count == 127 ? 8 : 0
            guard rest.count >= lengthBytes + 4 else { return nil }
            if lengthBytes > 0 {
                guard rest[rest.startIndex] < 0x80 || lengthBytes == 2 else { return nil }
                count = rest.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
                guard count > (lengthBytes == 2 ? 125 : 65535) else { return nil }
                rest = rest.dropFirst(lengthBytes)
            }
            let key = Array(rest.prefix(4))
            rest = rest.dropFirst(4)
            guard rest.count >= count else { return nil }
            let payload = rest.prefix(count).enumerated().map { $1 ^ key[$0 % 4] }
            rest = rest.dropFirst(count)
            let isFinal = first & 0x80 != 0
            frames.append(ClientFrame(isFinal: isFinal, opcode: first & 0x0F, payload: payload))
        }
        return frames
    }

    /// The properties and the first bytes.
    package var description: String {
        "\(isFinal ? "" : "part of ")\(opcode), \(payload.count) bytes: \(payload.prefix(32))"
    }
}
