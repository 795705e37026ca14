extension Span<UInt8> {
    /// The Unicode scalar at `index` and its length in bytes; nil for invalid UTF-8.
    ///
    /// Strict by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
    package func scalar(at index: Int) -> (scalar: Unicode.Scalar, length: Int)? {
        guard index >= 0, index < count else { return nil }
        let lead = self[index]
        let length: Int
        var value: UInt32
        switch lead {
        case 0..<0x80: return (Unicode.Scalar(lead), 1)
        case 0xC2...0xDF: (length, value) = (2, UInt32(lead & 0x1F))
        case 0xE0...0xEF: (length, value) = (3, UInt32(lead & 0x0F))
        case 0xF0...0xF4: (length, value) = (4, UInt32(lead & 0x07))
        default: return nil
        }
        guard length <= count - index else { return nil }
        for next in index + 1..<index + length {
            guard self[next] & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(self[next] & 0x3F)
        }
        let least: UInt32 = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80
        guard value >= least, let scalar = Unicode.Scalar(value) else { return nil }
        return (scalar, length)
    }
}
