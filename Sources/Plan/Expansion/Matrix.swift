internal import JobFile

/// Every combination of some lists of values except the combinations that are left out; the last
/// name changes fastest.
struct Matrix: Sendable {
    let names: [String]
    /// The values of each name.
    let values: [[NodeID]]
    /// The combinations that are left out, by their numbers among all, ascending.
    let excluded: [Int]
    /// How many are left.
    let count: Int

    /// All combinations; their number must be known to be one.
    init(names: [String], values: [[NodeID]], excluded: [Int]) {
        self.names = names
        self.values = values
        self.excluded = excluded
        count = values.reduce(1) { $0 * $1.count } - excluded.count
    }

    /// The values of the combination of a number below `count`, in the order of the names.
    func values(at number: Int) -> [NodeID] {
        // An excluded combination precedes this one if its number, less the excluded ones before
        // it, is not larger.
        var (low, high) = (0, excluded.count)
        while low < high {
            let middle = (low + high) / 2
            if excluded[middle] - middle <= number { low = middle + 1 } else { high = middle }
        }
        var rest = number + low
        var combination: [NodeID] = []
        for list in values.reversed() {
            combination.append(list[rest % list.count])
            rest /= list.count
        }
        return combination.reversed()
    }

    /// The numbers of all combinations that have given values: `positions` has one for each name,
    /// nil for any.
    static func numbers(of positions: [Int?], sizes: [Int]) -> [Int] {
        var numbers = [0]
        for (position, size) in zip(positions, sizes) {
            let choices = position.map { $0..<$0 + 1 } ?? 0..<size
            numbers = numbers.flatMap { number in choices.map { number * size + $0 } }
        }
        return numbers
    }
}
