/// The beginning of a line that looks like an entry of a section, where a text may be cut.
struct Cut: Sendable, Equatable {
    /// How a text is cut.
    struct Measure: Sendable {
        /// Bytes before the first piece, which nobody reads ahead.
        var head: Int
        /// Bytes of a piece.
        var piece: Int
        /// How many bytes more every second piece has, that is read ahead: whoever takes it has
        /// that much more to do.
        var lead = 0
        /// Bytes behind the least length of a piece, in which the line of least indentation is
        /// looked for.
        var window: Int

        /// Pieces large enough that a parser for each costs next to nothing, and small enough that
        /// few bytes wait.
        static let usual = Measure(head: 16 << 10, piece: 56 << 10, lead: 16 << 10, window: 4 << 10)
    }

    /// In bytes.
    let offset: Int
    /// Number of spaces, not 0, behind which a letter or digit stands.
    let indent: Int

    /// The offset of the first letter.
    var key: Int { offset + indent }

    /// Places for cuts in a text, in order, each behind the one before.
    static func all(in bytes: Span<UInt8>, by measure: Measure) -> [Cut] {
        var cuts: [Cut] = []
        var target = measure.head
        while target < bytes.count {
            if let cut = Cut(in: bytes, behind: target, window: measure.window) {
                cuts.append(cut)
                target = max(target, cut.offset)
            }
            target += measure.piece + (Pieces.isAhead(cuts.count - 1) ? measure.lead : 0)
        }
        return cuts
    }

    /// The first line with the least indentation among those in a window; nil when it begins with
    /// something else than a letter or digit.
    private init?(in bytes: Span<UInt8>, behind target: Int, window: Int) {
        let end = min(bytes.count, target + window)
        var found: Cut?
        var least = Int.max
        var line = bytes.endOfLine(from: target, to: end)
        while line < end {
            var first = line
            while first < end, bytes[first] == 0x20 { first += 1 }
            let indent = first - line
            if first < end, indent > 0, indent <= least, !bytes.isBlankOrComment(at: first) {
                if indent < least { found = nil }
                least = indent
                if found == nil, bytes.isLetterOrDigit(at: first) {
                    found = Cut(offset: line, indent: indent)
                }
            }
            line = bytes.endOfLine(from: first, to: end)
        }
        guard let found else { return nil }
        self = found
    }

    private init(offset: Int, indent: Int) {
        self.offset = offset
        self.indent = indent
    }
}

extension Span<UInt8> {
    /// The offset behind the next line feed from `index` on, at most `end`.
    fileprivate func endOfLine(from index: Int, to end: Int) -> Int {
        var index = index
        while index < end, self[index] != 0x0A { index += 1 }
        return Swift.min(index + 1, end)
    }

    /// Whether a line whose first character that is no space is at `index` says nothing.
    fileprivate func isBlankOrComment(at index: Int) -> Bool {
        self[index] == UInt8(ascii: "#") || self[index] == 0x0A || self[index] == 0x0D
    }

    fileprivate func isLetterOrDigit(at index: Int) -> Bool {
        switch self[index] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            false
        }
    }
}
