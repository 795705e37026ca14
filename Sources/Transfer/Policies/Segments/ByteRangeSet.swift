/// A set of bytes of a file, as ranges in order that neither overlap nor touch.
struct ByteRangeSet: Sendable, Hashable {
    private(set) var ranges: [Range<Int64>] = []

    /// An empty set.
    init() {}

    /// The union of the ranges.
    init(_ ranges: some Sequence<Range<Int64>>) {
        for range in ranges { insert(range) }
    }

    /// The number of bytes.
    var count: Int64 { ranges.reduce(0) { $0 + $1.length } }

    /// Adds the bytes of a range; they may be in the set already.
    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.count
        let end = ranges[first...].firstIndex { $0.lowerBound > range.upperBound } ?? ranges.count
        var union = range
        if first < end {
            let start = min(range.lowerBound, ranges[first].lowerBound)
            union = start..<max(range.upperBound, ranges[end - 1].upperBound)
        }
        ranges.replaceSubrange(first..<end, with: [union])
    }

    /// The bytes of a range that are not in the set.
    func missing(in whole: Range<Int64>) -> [Range<Int64>] {
        var missing: [Range<Int64>] = []
        var position = whole.lowerBound
        for range in ranges where range.upperBound > position {
            if range.lowerBound >= whole.upperBound { break }
            if range.lowerBound > position { missing.append(position..<range.lowerBound) }
            position = range.upperBound
        }
        if position < whole.upperBound { missing.append(position..<whole.upperBound) }
        return missing
    }
}

extension Range<Int64> {
    /// The number of bytes in a range of offsets.
    var length: Int64 { upperBound - lowerBound }
}
