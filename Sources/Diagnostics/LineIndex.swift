/// Where the lines of a text start, found once for many look-ups.
package struct LineIndex {
    private let source: SourceText
    /// The start of every `stride`-th line: a big file's index stays small.
    private var starts: [Int]
    private static let stride = 64

    /// Number of lines; a text that ends with a line break has an empty last one.
    package private(set) var count: Int

    package init(_ source: SourceText) {
        self.source = source
        let span = source.bytes.span
        var index = source.base
        starts = [index]
        count = 1
        while index < span.count {
            let lineBreak = span.lineBreak(at: index)
            index += max(lineBreak, 1)
            guard lineBreak > 0 else { continue }
            if count % Self.stride == 0 { starts.append(index) }
            count += 1
        }
    }

    /// The bytes of a line without its break, by its 1-based number; nil when there is no such line.
    package func range(of line: Int) -> Range<Int>? {
        guard line >= 1, line <= count else { return nil }
        let span = source.bytes.span
        var start = starts[(line - 1) / Self.stride]
        for _ in 0..<(line - 1) % Self.stride {
            let end = Self.end(of: start, in: span)
            start = end + span.lineBreak(at: end)
        }
        return start..<Self.end(of: start, in: span)
    }

    /// The offset of the scalar at a position, or the end of its line when that is shorter; nil past the last line.
    package func offset(of position: SourcePosition) -> Int? {
        guard let line = range(of: position.line) else { return nil }
        let span = source.bytes.span
        var offset = line.lowerBound
        for _ in 1..<max(position.column, 1) where offset < line.upperBound {
            offset += span.scalar(at: offset)?.length ?? 1
        }
        return offset
    }

    /// Where the line that starts at `start` ends, its break not included.
    private static func end(of start: Int, in span: Span<UInt8>) -> Int {
        var end = start
        while end < span.count, span.lineBreak(at: end) == 0 { end += 1 }
        return end
    }
}
