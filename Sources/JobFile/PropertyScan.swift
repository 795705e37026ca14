internal import Diagnostics

/// Finds a scalar's own place behind the anchor and the tag that stand before it.
///
/// libyaml gives one start for all three.
struct PropertyScan {
    /// Where the next byte is.
    private(set) var offset: Int
    private(set) var mark: EventReader.Mark
    /// The text of the tag, when there is one.
    private(set) var tag: SourceRange?

    /// Goes over the properties that start at `mark`, whose byte offset is `offset`, at most to `end`.
    init(_ bytes: [UInt8], at offset: Int, mark: EventReader.Mark, end: EventReader.Mark) {
        self.offset = offset
        self.mark = mark
        let span = bytes.span
        while self.mark.index < end.index, self.offset < span.count {
            switch span[self.offset] {
            case UInt8(ascii: "&"), UInt8(ascii: "!"):
                let isTag = span[self.offset] == UInt8(ascii: "!")
                let start = self.mark.point.start
                skip(span, to: end) { !$0.isWhiteSpace }
                if isTag { tag = SourceRange(start: start, end: self.mark.point.start) }
            case UInt8(ascii: "#"):
                skip(span, to: end) { $0 != 0x0A && $0 != 0x0D }
            case let byte where byte.isWhiteSpace:
                skip(span, to: end) { $0.isWhiteSpace }
            default:
                return
            }
        }
    }

    private mutating func skip(
        _ span: Span<UInt8>,
        to end: EventReader.Mark,
        while condition: (UInt8) -> Bool
    ) {
        while mark.index < end.index, offset < span.count, condition(span[offset]) {
            let isBreak =
                span[offset] == 0x0A
                || span[offset] == 0x0D && (offset + 1 == span.count || span[offset + 1] != 0x0A)
            mark.index += 1
            mark.line += isBreak ? 1 : 0
            mark.column = isBreak ? 1 : mark.column + 1
            offset += span.scalar(at: offset)?.length ?? 1
        }
    }
}

extension UInt8 {
    fileprivate var isWhiteSpace: Bool {
        self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
    }
}
