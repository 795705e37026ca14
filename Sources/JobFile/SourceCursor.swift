/// Turns libyaml's positions, which count Unicode scalars, into byte offsets, going forward only.
struct SourceCursor {
    /// Offset of the first byte that libyaml sees.
    private(set) var base: Int
    private let isASCII: Bool
    private var index = 0
    private var byte: Int

    /// Starts behind `base` bytes, which is where a byte order mark ends.
    init(base: Int, isASCII: Bool) {
        self.base = base
        self.isASCII = isASCII
        byte = base
    }

    /// Counts from another byte on, the first of a scalar.
    mutating func restart(at base: Int) {
        self = SourceCursor(base: base, isASCII: isASCII)
    }

    /// The byte offset of the scalar number `target`; a number before an earlier one gives the
    /// earlier one's.
    mutating func offset(of target: Int, in bytes: [UInt8]) -> Int {
        guard !isASCII else { return base + target }
        let span = bytes.span
        while index < target, byte < span.count {
            byte += 1
            while byte < span.count, span[byte] & 0xC0 == 0x80 { byte += 1 }
            index += 1
        }
        return byte
    }
}
