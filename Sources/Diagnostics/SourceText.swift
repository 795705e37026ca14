/// A position in a source text.
package struct SourcePosition: Sendable, Hashable, Comparable {
    /// 1-based.
    package var line: Int
    /// 1-based, in Unicode scalars.
    package var column: Int

    /// A position with 1-based numbers.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// By line, then by column.
    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A range of source text, with an exclusive end.
package struct SourceRange: Sendable, Hashable {
    /// The position of the first scalar.
    package var start: SourcePosition
    /// The position after the last scalar; equal to `start` for an empty range.
    package var end: SourcePosition

    /// The text between two positions, the second excluded.
    package init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = end
    }

    /// The empty range before a position.
    package init(_ point: SourcePosition) {
        start = point
        end = point
    }
}

/// A text that positions refer to, with the name that the user gave it.
///
/// Lines end as in YAML: at LF, CR, CR LF, U+0085, U+2028 and U+2029. The text of a job file may
/// be followed by the texts of the files that it includes: one line has one number in all of them.
package struct SourceText: Sendable {
    /// A file whose text follows.
    package struct Included: Sendable {
        /// The name for messages.
        package let name: String
        /// The number of its first line in the whole text.
        package let firstLine: Int
        /// The offset of its first byte in the whole text.
        package let start: Int
    }

    /// The name on the command line.
    package let name: String
    /// UTF-8; may have invalid bytes when an error reports them.
    package private(set) var bytes: [UInt8]
    /// The number of the first line, 1 for a whole file; a part of a large file may be enough.
    package let firstLine: Int
    /// The files whose texts follow that of the first file, in their order.
    package private(set) var included: [Included] = []

    /// Text of the file with that name, from the beginning of a line on.
    package init(name: String, bytes: [UInt8], firstLine: Int = 1) {
        self.name = name
        self.bytes = bytes
        self.firstLine = firstLine
    }

    /// Adds the text of an included file.
    ///
    /// - Parameters:
    ///   - text: Without a byte order mark.
    ///   - name: The file's name for messages.
    /// - Returns: The place of the text.
    package mutating func append(_ text: [UInt8], name: String) -> Included {
        // The end of a text is on a line of its own file, even after a line break. A carriage
        // return and a line feed would be one.
        if bytes.last == 0x0D { bytes.append(UInt8(ascii: "\n")) }
        bytes.append(UInt8(ascii: "\n"))
        let line = position(at: bytes.count).line
        let file = Included(name: name, firstLine: line, start: bytes.count)
        included.append(file)
        bytes += text
        return file
    }

    /// The file of a line of the whole text, and the line's number there.
    package func place(ofLine line: Int) -> (file: String, line: Int) {
        guard let part = included.last(where: { $0.firstLine <= line }) else { return (name, line) }
        return (part.name, line - part.firstLine + 1)
    }

    /// The offset of the first counted byte: after a byte order mark.
    package var base: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// The position of the scalar whose first byte is at `offset`; passes through all text before
    /// it.
    package func position(at offset: Int) -> SourcePosition {
        let span = bytes.span
        let part = included.last { $0.start <= offset }
        var position = SourcePosition(line: part?.firstLine ?? firstLine, column: 1)
        var index = part?.start ?? base
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
