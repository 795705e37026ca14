package import Diagnostics

extension ConfidentialText {
    /// Looks through the lines of a file that is no document.
    ///
    /// What stands behind the name of a secret is confidential up to the end of its line, and so
    /// are the lines that are indented deeper, and those of a list at the same depth.
    package init(ofLinesIn source: SourceText) {
        self.init()
        let bytes = source.bytes
        var depth: Int?
        // Whether nothing stands behind the name in its own line.
        var isOpen = false
        var start = source.base
        var number = source.firstLine
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes.span.lineBreak(at: end) == 0 { end += 1 }
            let line = bytes[start..<end]
            let indent = line.prefix { $0 == 32 || $0 == 9 }.count
            let rest = line.dropFirst(indent)
            if let open = depth,
                rest.isEmpty || indent > open
                    || isOpen && indent == open && Self.beginsValue(rest)
            {
                if !rest.isEmpty { add(rest, of: line, number) }
            } else {
                depth = nil
                if let value = Self.secretValue(in: line) {
                    depth = indent
                    isOpen = value.isEmpty
                    if !value.isEmpty { add(value, of: line, number) }
                }
            }
            start = end + (end < bytes.count ? bytes.span.lineBreak(at: end) : 0)
            number += 1
        }
    }

    /// Whether a line goes on with the value of the key above it, which is not indented less.
    private static func beginsValue(_ line: ArraySlice<UInt8>) -> Bool {
        switch line.first {
        case UInt8(ascii: "-"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: false
        }
    }

    private mutating func add(
        _ part: ArraySlice<UInt8>,
        of line: ArraySlice<UInt8>,
        _ number: Int
    ) {
        let column = Self.scalars(in: line[line.startIndex..<part.startIndex]) + 1
        let start = SourcePosition(line: number, column: column)
        var end = start
        end.column += Self.scalars(in: part)
        let text = String(decoding: part, as: UTF8.self)
        let marks: Set<Character> = [" ", "\t", "\r", "\"", "'", "[", "]", "{", "}", ","]
        let plain = text.drop { marks.contains($0) }.reversed().drop { marks.contains($0) }
        add(SourceRange(start: start, end: end), String(plain.reversed()))
    }

    /// As positions count them: a byte that is no UTF-8 is one.
    private static func scalars(in bytes: ArraySlice<UInt8>) -> Int {
        let span = bytes.span
        var (count, index) = (0, 0)
        while index < span.count {
            index += span.scalar(at: index)?.length ?? 1
            count += 1
        }
        return count
    }

    /// What stands behind the first name of a secret and its colon; nil without one.
    private static func secretValue(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var index = line.startIndex
        while index < line.endIndex {
            let start = index
            while index < line.endIndex, isNameByte(line[index]) { index += 1 }
            guard index > start else {
                index += 1
                continue
            }
            let name = String(decoding: line[start..<index], as: UTF8.self)
            var end = index
            while end < line.endIndex, [32, 9, 34, 39].contains(line[end]) { end += 1 }
            guard end < line.endIndex, line[end] == UInt8(ascii: ":"), SecretName.isOne(name) else {
                continue
            }
            let value = line[(end + 1)...].drop { $0 == 32 || $0 == 9 }
            return value
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
