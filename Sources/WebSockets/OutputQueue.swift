internal import SystemKit

/// The masked frames that wait for the connection.
///
/// A server that sends pings and reads nothing makes the queue grow to `pongLimit` bytes and no
/// further: from there on only the latest ping is answered, which RFC 6455 §5.5.3 allows.
struct OutputQueue: Sendable {
    private var bytes: [UInt8] = []
    /// The payload of the latest ping that arrived while the queue was full.
    private var deferredPong: [UInt8]?
    private var maskingKeys: any RandomNumberGenerator & Sendable

    /// A queue of this many bytes takes no more pongs.
    static let pongLimit = 64 << 10

    init(maskingKeys: any RandomNumberGenerator & Sendable) {
        self.maskingKeys = maskingKeys
    }

    /// The bytes that wait, without those of a deferred pong.
    var count: Int { bytes.count }

    /// Whether nothing waits.
    var isEmpty: Bool { bytes.isEmpty && deferredPong == nil }

    /// Appends a frame.
    mutating func append(_ opcode: Opcode, isFinal: Bool = true, payload: Span<UInt8>) {
        FrameEncoder.append(
            opcode,
            isFinal: isFinal,
            payload: payload,
            // §5.3: from a strong source of entropy, a new one for each frame.
            maskingKey: UInt32(truncatingIfNeeded: maskingKeys.next()),
            to: &bytes
        )
    }

    /// Answers a ping, now or when the queue is taken.
    mutating func appendPong(_ payload: [UInt8]) {
        if bytes.count < Self.pongLimit {
            append(.pong, payload: payload.span)
        } else {
            deferredPong = payload
        }
    }

    /// Appends a Close frame after the pong that was deferred.
    mutating func appendClose(_ closing: Closing) {
        flushPong()
        append(.close, payload: closing.payload.span)
    }

    /// Returns all frames and empties the queue.
    mutating func take() -> [UInt8] {
        flushPong()
        defer { bytes = [] }
        return bytes
    }

    private mutating func flushPong() {
        guard let payload = deferredPong else { return }
        deferredPong = nil
        append(.pong, payload: payload.span)
    }
}

/// Writes a client's frames, which are always masked (RFC 6455 §5.2, §5.3).
package enum FrameEncoder {
    /// Appends one frame to `output`.
    ///
    /// - Parameters:
    ///   - opcode: The kind of frame.
    ///   - isFinal: Whether the frame is the last fragment of its message.
    ///   - payload: The bytes before they are masked.
    ///   - maskingKey: Four random bytes that the server cannot predict, the lowest one first.
    ///   - output: The bytes for the connection.
    package static func append(
        _ opcode: Opcode,
        isFinal: Bool = true,
        payload: Span<UInt8>,
        maskingKey: UInt32,
        to output: inout [UInt8]
    ) {
        // After other frames the array grows by doubling.
        if output.isEmpty { output.reserveCapacity(headerLimit + payload.count) }
        output.append((isFinal ? 0x80 : 0) | opcode.rawValue)
        let maskBit: UInt8 = 0x80
        switch payload.count {
        case ...125: output.append(maskBit | UInt8(payload.count))
        case ...0xFFFF:
            output.append(maskBit | 126)
            appendNumber(UInt64(payload.count), byteCount: 2, to: &output)
        default:
            output.append(maskBit | 127)
            appendNumber(UInt64(payload.count), byteCount: 8, to: &output)
        }
        appendNumber(UInt64(maskingKey.byteSwapped), byteCount: 4, to: &output)
        let start = output.count
        output.append(payload)
        output.applyMask(maskingKey, from: start)
    }

    /// Bytes of the longest header: two, eight of length, four of the masking key.
    private static let headerLimit = 14

    /// Appends a number, its highest byte first.
    private static func appendNumber(_ number: UInt64, byteCount: Int, to output: inout [UInt8]) {
        for place in (0..<byteCount).reversed() {
            output.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place)))
        }
    }
}

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
