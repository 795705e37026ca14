/// The start of a line that may be an entry of a section, where a text may be cut.
struct Cut: Sendable, Equatable {
    /// The sizes for cutting a text.
    struct Measure: Sendable {
        /// Bytes before the first piece, which are never read ahead.
        var head: Int
        /// Bytes of a piece.
        var piece: Int
        /// Additional bytes of every second piece, which the second thread reads: the first thread
        /// also takes the parts.
        var lead = 0
        /// The bytes after a piece's least length in which to find the least indented line.
        var window: Int

        /// Pieces large enough to make their parsers cheap, and small enough to keep few bytes
        /// waiting.
        static let usual = Measure(head: 16 << 10, piece: 56 << 10, lead: 16 << 10, window: 4 << 10)
    }

    /// In bytes.
    let offset: Int
    /// The number of spaces, at least 1, before a letter or digit.
    let indent: Int

    /// The offset of the first letter.
    var key: Int { offset + indent }

    /// Whether the second thread reads the piece that begins at a cut, by its number.
    static func isAhead(_ number: Int) -> Bool { number % 2 != 0 }

    /// The cuts of a text in ascending order.
    static func all(in bytes: Span<UInt8>, by measure: Measure) -> [Cut] {
        var cuts: [Cut] = []
        var target = measure.head
        while target < bytes.count {
            if let cut = Cut(in: bytes, behind: target, window: measure.window) {
                cuts.append(cut)
                target = max(target, cut.offset)
            }
            target += measure.piece + (isAhead(cuts.count - 1) ? measure.lead : 0)
        }
        return cuts
    }

    /// The first line with the least indentation in a window; nil unless it begins with a letter or
    /// digit.
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
    /// The offset after the next line feed from `index` on, at most `end`.
    fileprivate func endOfLine(from index: Int, to end: Int) -> Int {
        var index = index
        while index < end, self[index] != 0x0A { index += 1 }
        return Swift.min(index + 1, end)
    }

    /// Whether a line is blank or a comment; its first character but spaces is at `index`.
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
