/// Finds the known name that the user most likely meant.
package enum NearestName {
    /// Longer names are compared by prefix only: the edit distance takes quadratic time.
    private static let longestCompared = 64

    /// The candidate nearest to `name`; nil when none is near.
    ///
    /// Near means, in this order: equal except for case, `-` and `_`; a small edit distance
    /// (Damerau-Levenshtein, one edit per three letters); a common prefix of the whole shorter or
    /// half the longer name. The first of equally near candidates wins.
    package static func find(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(folded(name))
        guard !wanted.isEmpty else { return nil }
        var best: (candidate: String, rank: Int)?
        for candidate in candidates where candidate != name {
            let rank = rank(wanted, Array(folded(candidate)))
            guard let rank, rank < best?.rank ?? .max else { continue }
            best = (candidate, rank)
            if rank == 0 { break }
        }
        return best?.candidate
    }

    /// Whether a name is one of the known ones with one letter wrong, missing, added or swapped.
    ///
    /// - Parameters:
    ///   - name: In small letters, without `-` and `_`, as the known ones.
    ///   - names: The known names.
    /// - Returns: False for a known name itself.
    package static func isSlip(_ name: String, of names: [String]) -> Bool {
        let count = name.utf8.count
        return names.contains { known in
            abs(known.utf8.count - count) <= 1
                && distance(Array(name.unicodeScalars), Array(known.unicodeScalars), bound: 1) == 1
        }
    }

    /// The distance of two folded names; nil when they are not near.
    private static func rank(_ wanted: [Unicode.Scalar], _ known: [Unicode.Scalar]) -> Int? {
        if wanted == known { return 0 }
        let bound = max(1, min(wanted.count, known.count) / 3)
        let isComparable = max(wanted.count, known.count) <= longestCompared
        if isComparable, abs(wanted.count - known.count) <= bound, wanted.count > 1 {
            let distance = distance(wanted, known, bound: bound)
            if distance <= bound { return distance }
        }
        let shared = zip(wanted, known).prefix { $0 == $1 }.count
        let longer = max(wanted.count, known.count)
        let isBeginning = shared >= 3 && shared == min(wanted.count, known.count)
        guard isBeginning || shared >= 4 && shared * 2 >= longer else { return nil }
        // After every near edit distance.
        return longestCompared + longer - shared
    }

    /// The edits of one scalar and swaps of neighbours between two names (optimal string
    /// alignment); a number above `bound` when there are more.
    private static func distance(
        _ left: [Unicode.Scalar],
        _ right: [Unicode.Scalar],
        bound: Int
    ) -> Int {
        var beforeLast = [Int](repeating: .max, count: right.count + 1)
        var last = Array(0...right.count)
        var current = last
        var leastOfLast = 0
        for row in left.indices {
            current[0] = row + 1
            var least = row + 1
            for column in right.indices {
                let isEqual = left[row] == right[column]
                var cost = min(
                    last[column] + (isEqual ? 0 : 1),
                    last[column + 1] + 1,
                    current[column] + 1
                )
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current[column + 1] = cost
                least = min(least, cost)
            }
            // A swap uses two rows back; values above the bound in both rows stay above it.
            guard min(least, leastOfLast) <= bound else { return bound + 1 }
            leastOfLast = least
            (beforeLast, last, current) = (last, current, beforeLast)
        }
        return last[right.count]
    }

    private static func folded(_ name: String) -> [Unicode.Scalar] {
        name.unicodeScalars.compactMap { scalar in
            switch scalar {
            case "-", "_": nil
            case "A"..."Z": Unicode.Scalar(UInt8(scalar.value) | 0x20)
            default: scalar
            }
        }
    }
}
