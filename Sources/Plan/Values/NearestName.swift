/// The name that was probably meant.
enum NearestName {
    /// The candidate closest to `name`: equal but for capitals, `_` and `-`; else a few edits away; else none.
    static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
        guard name.utf8.count <= 64 else { return nil }
        let wanted = folded(name)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let offered = folded(candidate)
            let distance = wanted == offered ? 0 : distance(wanted, offered)
            // A third of a name may be wrong; one of two letters is another name.
            guard distance <= max(wanted.count, offered.count) / 3 else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        return best?.name ?? extended(wanted, in: candidates)
    }

    /// The shortest candidate of which a name of at least four letters is the beginning or the end.
    private static func extended(
        _ wanted: [UInt8],
        in candidates: some Sequence<String>
    ) -> String? {
        guard wanted.count >= 4 else { return nil }
        return
            candidates
            .filter { folded($0).starts(with: wanted) || folded($0).reversed().starts(with: wanted.reversed()) }
            .min { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
            .map { (65...90).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Edits from one to the other, a swap of neighbours counted as one (optimal string alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            current.reserveCapacity(right.count + 1)
            for column in right.indices {
                let isEqual = left[row] == right[column]
                var best = last[column] + (isEqual ? 0 : 1)
                best = min(best, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
