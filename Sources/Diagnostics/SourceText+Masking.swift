extension SourceText {
    /// The same with a star for each character of some ranges, so that all places stay where they are.
    func masked(_ ranges: [SourceRange]) -> SourceText {
        guard !ranges.isEmpty else { return self }
        let lines = LineIndex(self)
        let span = bytes.span
        var masked: [UInt8] = []
        var offset = 0
        for range in ranges.sorted(by: { $0.start < $1.start }) {
            guard let first = lines.offset(of: range.start) else { continue }
            let end = lines.offset(of: range.end) ?? span.count
            // One may lie within another.
            let start = max(first, offset)
            guard start < end else { continue }
            masked += bytes[offset..<start]
            offset = start
            while offset < end {
                let lineBreak = span.lineBreak(at: offset)
                let length = lineBreak > 0 ? lineBreak : span.scalar(at: offset)?.length ?? 1
                let next = min(offset + length, span.count)
                if lineBreak > 0 {
                    masked += bytes[offset..<next]
                } else {
                    masked.append(UInt8(ascii: "*"))
                }
                offset = next
            }
        }
        return SourceText(name: name, bytes: masked + bytes[offset...], firstLine: firstLine)
    }
}
