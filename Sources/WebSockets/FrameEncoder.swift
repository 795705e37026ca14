internal import SystemKit

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
        // Behind other frames the array grows by doubling.
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
