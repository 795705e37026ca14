extension SourceText {
    /// The text with a star for each character of some ranges, so that positions stay the same.
    ///
    /// It passes through the text once, however many ranges there are.
    func masked(_ ranges: [SourceRange]) -> SourceText {
        guard !ranges.isEmpty else { return self }
        let sorted = ranges.sorted { $0.start < $1.start }
        let span = bytes.span
        var masked = Array(bytes[..<base])
        masked.reserveCapacity(bytes.count)
        var position = SourcePosition(line: firstLine, column: 1)
        // Ranges may be nested.
        var end = position
        var next = 0
        var offset = base
        while offset < span.count {
            while next < sorted.count, sorted[next].start <= position {
                end = max(end, sorted[next].end)
                next += 1
            }
            let lineBreak = span.lineBreak(at: offset)
            let length = lineBreak > 0 ? lineBreak : span.scalar(at: offset)?.length ?? 1
            if lineBreak == 0, position < end {
                masked.append(UInt8(ascii: "*"))
            } else {
                masked += bytes[offset..<offset + length]
            }
            if lineBreak > 0 {
                position = SourcePosition(line: position.line + 1, column: 1)
            } else {
                position.column += 1
            }
            offset += length
        }
        return SourceText(name: name, bytes: masked, firstLine: firstLine)
    }
}
