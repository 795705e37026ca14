/// A text that positions refer to, with the name that the user gave it.
///
/// Lines end as in YAML: at LF, CR, CR LF, U+0085, U+2028 and U+2029.
package struct SourceText: Sendable {
    /// The name on the command line.
    package let name: String
    /// UTF-8; may have invalid bytes when an error reports them.
    package let bytes: [UInt8]
    /// The number of the first line, 1 for a whole file; a part of a large file may be enough.
    package let firstLine: Int

    /// Text of the file with that name, from the beginning of a line on.
    package init(name: String, bytes: [UInt8], firstLine: Int = 1) {
        self.name = name
        self.bytes = bytes
        self.firstLine = firstLine
    }

    /// The offset of the first counted byte: after a byte order mark.
    package var base: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// The position of the scalar whose first byte is at `offset`; passes through all text before
    /// it.
    package func position(at offset: Int) -> SourcePosition {
        let span = bytes.span
        var position = SourcePosition(line: firstLine, column: 1)
        var index = base
        while index < min(offset, span.count) {
            let lineBreak = span.lineBreak(at: index)
            if lineBreak > 0 {
                position = SourcePosition(line: position.line + 1, column: 1)
                index += lineBreak
            } else {
                position.column += 1
                index += span.scalar(at: index)?.length ?? 1
            }
        }
        return position
    }
}

extension Span<UInt8> {
    /// The number of bytes of the line break at `index`; 0 if there is none.
    package func lineBreak(at index: Int) -> Int {
        switch self[index] {
        case 0x0A:
            return 1
        case 0x0D:
            return index + 1 < count && self[index + 1] == 0x0A ? 2 : 1
        case 0xC2:
            return index + 1 < count && self[index + 1] == 0x85 ? 2 : 0
        case 0xE2:
            guard index + 2 < count, self[index + 1] == 0x80 else { return 0 }
            return self[index + 2] == 0xA8 || self[index + 2] == 0xA9 ? 3 : 0
        default:
            return 0
        }
    }
}
