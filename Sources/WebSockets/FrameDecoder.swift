/// Reads a server's frames (RFC 6455 §5.2) from bytes that arrive in any pieces.
///
/// The decoder keeps no payload, only the few bytes of a header that has not ended. A fault is
/// thrown at the first byte that shows it; no call may follow a fault.
package struct FrameDecoder: Sendable {
    /// The meaning of the next bytes.
    package enum Piece: Sendable, Hashable {
        /// A frame begins; payload pieces follow, at least one, until one is the last.
        case header(FrameHeader)
        /// The bytes of a span that are payload; an empty range for a frame without payload.
        case payload(Range<Int>, isLast: Bool)
    }

    /// The part of a frame that the next byte belongs to.
    ///
    /// Next states: `first` → `second` → (`length` →) `payload` → `first`.
    private enum Place: Sendable {
        case first
        case second(isFinal: Bool, Opcode)
        case length(isFinal: Bool, Opcode, byteCount: Int, missing: Int, value: UInt64)
        case payload(missing: Int)
    }

    private var place = Place.first

    /// Creates a decoder before the first byte after the opening handshake.
    package init() {}

    /// Whether the next byte is the first one of a frame.
    package var isBetweenFrames: Bool {
        if case .first = place { true } else { false }
    }

    /// Reads on from `offset`, moves it, and returns the next piece; nil when all bytes are read.
    package mutating func next(
        in bytes: Span<UInt8>,
        from offset: inout Int
    ) throws(ProtocolFault) -> Piece? {
        if case .payload(let missing) = place {
            guard missing == 0 || offset < bytes.count else { return nil }
            return payload(missing, in: bytes, from: &offset)
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if let header = try take(byte) {
                place = .payload(missing: header.payloadLength)
                return .header(header)
            }
        }
        return nil
    }

    private mutating func payload(
        _ missing: Int,
        in bytes: Span<UInt8>,
        from offset: inout Int
    ) -> Piece {
        let end = offset + min(missing, bytes.count - offset)
        let range = offset..<end
        offset = end
        let isLast = range.count == missing
        place = isLast ? .first : .payload(missing: missing - range.count)
        return .payload(range, isLast: isLast)
    }

    /// Reads one byte of a header; returns the header when it is complete.
    private mutating func take(_ byte: UInt8) throws(ProtocolFault) -> FrameHeader? {
        switch place {
        case .first:
            place = try Self.second(after: byte)
            return nil
        case .second(let isFinal, let opcode):
            return try takeSecond(byte, isFinal, opcode)
        case .length(let isFinal, let opcode, let byteCount, let missing, let value):
            guard missing < 8 || byte < 0x80 else { throw .lengthTooLarge }
            let value = value << 8 | UInt64(byte)
            guard missing == 1 else {
                place = .length(
                    isFinal: isFinal,
                    opcode,
                    byteCount: byteCount,
                    missing: missing - 1,
                    value: value
                )
                return nil
            }
            let length = Int(truncatingIfNeeded: value)
            guard length > (byteCount == 2 ? 125 : 0xFFFF) else { throw .lengthNotMinimal(length) }
            return FrameHeader(isFinal: isFinal, opcode: opcode, payloadLength: length)
        case .payload:
            return nil
        }
    }

    private static func second(after byte: UInt8) throws(ProtocolFault) -> Place {
        let reserved = byte & 0x70
        guard reserved == 0 else { throw .reservedBits(reserved) }
        guard let opcode = Opcode(rawValue: byte & 0x0F) else {
            throw .reservedOpcode(byte & 0x0F)
        }
        let isFinal = byte & 0x80 != 0
        guard isFinal || !opcode.isControl else { throw .fragmentedControlFrame(opcode) }
        return .second(isFinal: isFinal, opcode)
    }

    private mutating func takeSecond(
        _ byte: UInt8,
        _ isFinal: Bool,
        _ opcode: Opcode
    ) throws(ProtocolFault) -> FrameHeader? {
        guard byte & 0x80 == 0 else { throw .maskedFrame }
        let length = Int(byte)
        guard length > Opcode.controlPayloadLimit else {
            return FrameHeader(isFinal: isFinal, opcode: opcode, payloadLength: length)
        }
        guard !opcode.isControl else { throw .longControlFrame(opcode) }
        let byteCount = length == 126 ? 2 : 8
        place = .length(
            isFinal: isFinal,
            opcode,
            byteCount: byteCount,
            missing: byteCount,
            value: 0
        )
        return nil
    }
}
