/// The header of a netlink(7) message, whose lengths must be checked.
struct NetlinkHeader: Sendable, Hashable {
    /// RTM_… and NLMSG_….
    enum Kind: UInt16 {
        case error = 2
        case done = 3
        case link = 16
        case address = 20
        case route = 24
        case rule = 32
    }

    /// The message's type; for generic netlink the number of a family.
    let number: UInt16
    let sequence: UInt32
    /// Whether a change interrupted the dump (NLM_F_DUMP_INTR).
    let isInterrupted: Bool

    private static let size = 16

    /// nil for a type that is not used here.
    var kind: Kind? { Kind(rawValue: number) }

    /// Calls `visit` with the header and the body of each complete message, until it returns false.
    ///
    /// - Returns: Whether `visit` never returned false.
    static func forEachMessage(
        in bytes: Span<UInt8>,
        _ visit: (NetlinkHeader, Span<UInt8>) -> Bool
    ) -> Bool {
        var offset = 0
        while let length = bytes.word(at: offset), length >= size,
            Int(length) <= bytes.count - offset, let number = bytes.half(at: offset + 4),
            let flags = bytes.half(at: offset + 6), let sequence = bytes.word(at: offset + 8)
        {
            let header = NetlinkHeader(
                number: number,
                sequence: sequence,
                isInterrupted: flags & 0x10 != 0
            )
            let body = bytes.extracting(offset + size..<offset + Int(length))
            guard visit(header, body) else { return false }
            offset += (Int(length) + 3) & ~3
        }
        return true
    }
}

extension Span<UInt8> {
    /// The two bytes at `offset` in the machine's order; nil beyond the end.
    func half(at offset: Int) -> UInt16? {
        guard offset >= 0, offset + 2 <= count else { return nil }
        return UInt16(littleEndian: UInt16(self[offset]) | UInt16(self[offset + 1]) << 8)
    }

    /// The four bytes at `offset` in the machine's order; nil beyond the end.
    func word(at offset: Int) -> UInt32? {
        guard offset >= 0, offset + 4 <= count else { return nil }
        var value: UInt32 = 0
        for index in 0..<4 { value |= UInt32(self[offset + index]) << UInt32(index * 8) }
        return UInt32(littleEndian: value)
    }

    /// The four bytes as a signed number: an interface's.
    func index(at offset: Int) -> Int32? { word(at: offset).map(Int32.init(bitPattern:)) }

    /// Calls `visit` with each complete attribute from `start` on.
    func forEachAttribute(from start: Int, _ visit: (UInt16, Span<UInt8>) -> Void) {
        var offset = start
        while let size = half(at: offset), let type = half(at: offset + 2), size >= 4,
            offset + Int(size) <= count
        {
            // The two highest bits are flags, not part of the type.
            visit(type & 0x3FFF, extracting(offset + 4..<offset + Int(size)))
            offset += (Int(size) + 3) & ~3
        }
    }

    /// The bytes as an array.
    var bytes: [UInt8] { indices.map { self[$0] } }

    /// The text up to its NUL.
    var cString: String {
        var text: [UInt8] = []
        for index in indices {
            if self[index] == 0 { break }
            text.append(self[index])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
