internal import SystemKit

/// The payload of a Close frame (RFC 6455 §5.5.1).
package struct Closing: Sendable, Hashable {
    /// The code; nil for a frame without payload.
    package let code: CloseCode?
    /// The reason, which need not be readable for people; empty without a code.
    package let reason: String

    /// Creates a payload without checks.
    package init(code: CloseCode? = nil, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// Reads the payload of a received Close frame.
    init(payload: [UInt8]) throws(ProtocolFault) {
        guard !payload.isEmpty else {
            self.init()
            return
        }
        guard payload.count >= 2 else { throw .closeCodeCut }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isAllowedInFrame else { throw .closeCode(code) }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw .closeReasonNotUTF8
        }
        self.init(code: code, reason: reason)
    }

    /// The most bytes of a reason: a control frame's payload without the code.
    package static let reasonLimit = Opcode.controlPayloadLimit - 2

    /// The payload for a frame.
    var payload: [UInt8] {
        guard let code = code?.rawValue else { return [] }
        return [UInt8(code >> 8), UInt8(code & 0xFF)] + reason.utf8
    }

    /// Whether both have the same bytes on the wire.
    package static func == (left: Closing, right: Closing) -> Bool {
        left.code == right.code && left.reason.hasSameBytes(as: right.reason)
    }

    /// Hashes code and reason, the only properties that `==` compares.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(reason)
    }
}
