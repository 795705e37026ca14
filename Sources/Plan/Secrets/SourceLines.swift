internal import Diagnostics
internal import JobFile

/// Reads stretches of a text by their positions, in linear time when these ascend.
struct SourceLines: Sendable {
    private let source: SourceText
    /// The offset of the first byte of each line.
    private let starts: [Int]
    /// Where the last stretch began: the next one in its line is looked for from there on.
    private var known: (position: SourcePosition, offset: Int)

    /// Goes through the text once.
    init(_ source: SourceText) {
        self.source = source
        let span = source.bytes.span
        var starts = [source.base]
        var index = source.base
        while index < span.count {
            let length = span.lineBreak(at: index)
            index += max(length, 1)
            if length > 0 { starts.append(index) }
        }
        self.starts = starts
        known = (SourcePosition(line: source.firstLine, column: 1), source.base)
    }

    /// The part of a line from a position to a column, or to the end of the line.
    mutating func text(from start: SourcePosition, to column: Int = .max) -> String {
        guard let first = offset(of: start) else { return "" }
        let span = source.bytes.span
        var (index, present) = (first, start.column)
        while index < span.count, span.lineBreak(at: index) == 0, present < column {
            index += span.scalar(at: index)?.length ?? 1
            present += 1
        }
        return String(decoding: source.bytes[first..<index], as: UTF8.self)
    }

    /// The text of a line before a position, at most its last 256 bytes.
    mutating func text(before position: SourcePosition) -> String {
        guard let end = offset(of: position) else { return "" }
        let line = starts[position.line - source.firstLine]
        var start = max(line, end - 256)
        // Not within a character.
        while start < end, source.bytes[start] & 0xC0 == 0x80 { start += 1 }
        return String(decoding: source.bytes[start..<end], as: UTF8.self)
    }

    /// Whether a key has neither a value nor a colon, as the end of a secret behind its comma in
    /// `{ password: one,two }`.
    mutating func isTornOff(_ entry: (key: NodeID, value: NodeID), in document: Document) -> Bool {
        guard document.isEmptyScalar(entry.value) else { return false }
        let (key, value) = (document.range(of: entry.key), document.range(of: entry.value))
        guard value.start == value.end, key.end <= value.start else { return false }
        let isOneLine = key.end.line == value.start.line
        let gap = text(from: key.end, to: isOneLine ? value.start.column : .max)
        return gap.allSatisfy { $0 == " " || $0 == "\t" || $0 == "\r" }
    }

    /// Whether only blanks and a comment stand between a position and the end of its line.
    mutating func hasComment(behind start: SourcePosition) -> Bool {
        guard var index = offset(of: start) else { return false }
        while index < source.bytes.count, [0x20, 0x09].contains(source.bytes[index]) { index += 1 }
        return index < source.bytes.count && source.bytes[index] == UInt8(ascii: "#")
    }

    /// The bytes of a line without its line break.
    func line(_ number: Int) -> ArraySlice<UInt8> {
        guard starts.indices.contains(number - source.firstLine) else { return [] }
        let start = starts[number - source.firstLine]
        let span = source.bytes.span
        var end = start
        while end < span.count, span.lineBreak(at: end) == 0 { end += 1 }
        return source.bytes[start..<end]
    }

    private mutating func offset(of start: SourcePosition) -> Int? {
        let number = start.line - source.firstLine
        guard starts.indices.contains(number) else { return nil }
        let last = known
        let goesOn = last.position.line == start.line && last.position.column <= start.column
        var (index, column) = goesOn ? (last.offset, last.position.column) : (starts[number], 1)
        let bytes = source.bytes
        let span = bytes.span
        // A place shortly before the last one, as that of a value behind its end.
        if last.position.line == start.line, start.column < last.position.column,
            last.position.column - start.column < start.column
        {
            (index, column) = (last.offset, last.position.column)
            while column > start.column, index > starts[number] {
                index -= span.lengthOfScalar(before: index)
                column -= 1
            }
        }
        while index < span.count, column < start.column, span.lineBreak(at: index) == 0 {
            index += span.scalar(at: index)?.length ?? 1
            column += 1
        }
        known = (start, index)
        return column == start.column ? index : nil
    }
}

extension Span<UInt8> {
    /// The bytes of the character before an index; 1 for a byte that is no UTF-8.
    fileprivate func lengthOfScalar(before index: Int) -> Int {
        for length in 2...4 where index >= length && scalar(at: index - length)?.length == length {
            return length
        }
        return 1
    }
}
