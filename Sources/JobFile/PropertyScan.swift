internal import Diagnostics
internal import SystemKit

/// Finds the start of a scalar after its anchor and tag.
///
/// libyaml reports one start for all three.
struct PropertyScan {
    /// The offset of the next byte.
    private(set) var offset: Int
    private(set) var mark: EventReader.Mark
    /// The range of the tag, if any.
    private(set) var tag: SourceRange?

    /// Skips the properties from `mark`, at byte offset `offset`, up to `end` at most.
    init(_ bytes: [UInt8], at offset: Int, mark: EventReader.Mark, end: EventReader.Mark) {
        self.offset = offset
        self.mark = mark
        let span = bytes.span
        while self.mark.index < end.index, self.offset < span.count {
            switch span[self.offset] {
            case UInt8(ascii: "&"), UInt8(ascii: "!"):
                let isTag = span[self.offset] == UInt8(ascii: "!")
                let start = self.mark.point.start
                skip(span, to: end) { !span.isWhiteSpace(at: $0) }
                if isTag { tag = SourceRange(start: start, end: self.mark.point.start) }
            case UInt8(ascii: "#"):
                skip(span, to: end) { span.lineBreak(at: $0) == 0 }
            case _ where span.isWhiteSpace(at: self.offset):
                skip(span, to: end) { span.isWhiteSpace(at: $0) }
            default:
                return
            }
        }
    }

    private mutating func skip(
        _ span: Span<UInt8>,
        to end: EventReader.Mark,
        while condition: (Int) -> Bool
    ) {
        while mark.index < end.index, offset < span.count, condition(offset) {
            let lineBreak = span.lineBreak(at: offset)
            if lineBreak > 0 {
                // CR LF is one line break of two characters.
                mark.index += lineBreak == 2 && span[offset] == 0x0D ? 2 : 1
                mark.line += 1
                mark.column = 1
                offset += lineBreak
            } else {
                mark.index += 1
                mark.column += 1
                offset += span.scalar(at: offset)?.length ?? 1
            }
        }
    }
}

extension Span<UInt8> {
    fileprivate func isWhiteSpace(at index: Int) -> Bool {
        self[index].isBlank || lineBreak(at: index) > 0
    }
}
