/// Converts libyaml's positions in Unicode scalars to byte offsets, in ascending order only.
struct SourceCursor {
    /// The offset of the first byte for libyaml.
    let base: Int
    private let isASCII: Bool
    private var index = 0
    private var byte: Int

    /// Starts after `base` bytes, where a byte order mark ends.
    init(base: Int, isASCII: Bool) {
        self.base = base
        self.isASCII = isASCII
        byte = base
    }

    /// The byte offset of the scalar with number `target`, but never less than an earlier result.
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
