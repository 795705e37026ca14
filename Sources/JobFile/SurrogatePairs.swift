internal import Diagnostics

/// A text whose double-quoted parts contain a character as two escapes, such as `\ud83d\ude00`.
///
/// JSON escapes characters beyond U+FFFF as surrogate pairs (RFC 8259 §7). YAML has no pairs (YAML
/// 1.2 §5.7), so libyaml refuses each half, and reads `text` instead.
struct SurrogatePairs {
    private struct Pair {
        /// In bytes of the source.
        let offset: Int
        /// In Unicode scalars from the start of the parsed bytes.
        let index: Int
        let character: Unicode.Scalar
    }

    /// The bytes of a pair, which are Unicode scalars, too.
    private static let length = 12

    /// The parsed bytes with a character instead of each pair.
    let text: [UInt8]
    /// The scalars of the source that `text` lacks.
    let lacking: LackingScalars

    /// Finds the pairs from a byte on; nil if there are none.
    init?(in source: SourceText, from base: Int) {
        let (all, escapes) = Self.candidates(in: source.bytes.span, from: base)
        guard !all.isEmpty else { return nil }
        let pairs = Self.quoted(all, in: Self.masked(source.bytes, at: escapes), from: base)
        guard !pairs.isEmpty else { return nil }
        var text: [UInt8] = []
        var start = base
        for pair in pairs {
            text += source.bytes[start..<pair.offset]
            text += String(pair.character).utf8
            start = pair.offset + Self.length
        }
        self.text = text + source.bytes[start...]
        let count = Self.length - 1
        lacking = LackingScalars(
            places: pairs.enumerated().map { $1.index - $0 * count },
            count: count
        )
    }

    /// The texts that would be pairs in double quotes, and the offsets of all texts that would be
    /// halves.
    private static func candidates(
        in bytes: Span<UInt8>,
        from base: Int
    ) -> (pairs: [Pair], halves: [Int]) {
        var pairs: [Pair] = []
        var halves: [Int] = []
        var (offset, index) = (base, 0)
        while offset < bytes.count {
            var length = 1
            if bytes[offset] == UInt8(ascii: "\\") {
                length = 2
                if escape(in: bytes, at: offset).map(UTF16.isSurrogate) == true {
                    halves.append(offset)
                    length = Self.length / 2
                }
                if let character = character(in: bytes, at: offset) {
                    pairs.append(Pair(offset: offset, index: index, character: character))
                    halves.append(offset + length)
                    length = Self.length
                }
            }
            let end = min(offset + length, bytes.count)
            while offset < end {
                if bytes[offset] & 0xC0 != 0x80 { index += 1 }
                offset += 1
            }
        }
        return (pairs, halves)
    }

    private static func character(in bytes: Span<UInt8>, at offset: Int) -> Unicode.Scalar? {
        guard let high = escape(in: bytes, at: offset), UTF16.isLeadSurrogate(high),
            let low = escape(in: bytes, at: offset + length / 2), UTF16.isTrailSurrogate(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + UInt32(high & 0x3FF) << 10 + UInt32(low & 0x3FF))
    }

    /// The code unit of an escape `\uXXXX`.
    private static func escape(in bytes: Span<UInt8>, at offset: Int) -> UInt16? {
        guard offset + length / 2 <= bytes.count, bytes[offset] == UInt8(ascii: "\\"),
            bytes[offset + 1] == UInt8(ascii: "u")
        else { return nil }
        let digits = bytes.extracting(offset + 2..<offset + length / 2).text
        // `UInt16` also reads a sign.
        return digits.utf8.first == UInt8(ascii: "+") ? nil : UInt16(digits, radix: 16)
    }

    /// The text with escapes that YAML allows, such as `\u083d\u0e00`, instead of surrogates.
    private static func masked(_ bytes: [UInt8], at escapes: [Int]) -> [UInt8] {
        var bytes = bytes
        for offset in escapes { bytes[offset + 2] = UInt8(ascii: "0") }
        return bytes
    }

    /// The candidates in double quotes, in a text without surrogates.
    ///
    /// After a fault of the text all of them, so that the fault and not a pair is reported.
    private static func quoted(_ all: [Pair], in bytes: [UInt8], from base: Int) -> [Pair] {
        EventReader.read(bytes, from: base) { reader in
            var pairs: [Pair] = []
            var rest = all[...]
            var depth = 0
            while depth <= DocumentLimits.nesting, let kind = reader.next() {
                if kind == .streamEnd { return pairs }
                if kind == .mappingStart || kind == .sequenceStart { depth += 1 }
                if kind == .mappingEnd || kind == .sequenceEnd { depth -= 1 }
                guard kind == .scalar, reader.isDoubleQuoted else { continue }
                rest = rest.drop { $0.index < reader.start.index }
                let inside = rest.prefix { $0.index < reader.end.index }
                pairs += inside
                rest = rest.dropFirst(inside.count)
            }
            return pairs + rest
        }
    }
}
