internal import JobFile
internal import SystemKit

/// The rows of one task's `forEach`, numbered from 0.
///
/// It stores no rows: it makes each row on request.
final class RowSource: Sendable {
    enum Form: Sendable {
        case items([NodeID])
        case range(NumberRange)
        case matrix(Matrix)
        case data(DataRows)
        case files(FileRows)
        /// None, after a fault that is reported.
        case faulty
    }

    let form: Form
    /// `key`, which names the rows; nil when the rows name themselves.
    let key: Field?
    /// `forEach` itself.
    let field: Field
    /// The column of a CSV file that names the rows where `key` does not: `id`, else `key`, else
    /// the first one without the name of a secret.
    let keyColumn: Int?
    /// Whether an id made of a combination's values would show a value with the name of a secret.
    let hasConfidentialCombinations: Bool

    init(_ form: Form, key: Field?, field: Field) {
        self.form = form
        self.key = key
        self.field = field
        keyColumn =
            switch form {
            case .data(let rows):
                rows.columns.firstIndex(of: "id") ?? rows.columns.firstIndex(of: "key")
                    ?? rows.columns.firstIndex { !SecretName.isOne($0) }
            case .items, .range, .matrix, .files, .faulty: nil
            }
        hasConfidentialCombinations =
            if case .matrix(let matrix) = form {
                matrix.names.contains(where: SecretName.isOne)
            } else {
                false
            }
    }

    var count: Int {
        switch form {
        case .items(let nodes): nodes.count
        case .range(let range): range.count
        case .matrix(let matrix): matrix.count
        case .data(let rows): rows.index.count
        case .files(let rows): rows.files.count
        case .faulty: 0
        }
    }
}

/// The numbers of `range`.
struct NumberRange: Sendable {
    let first: Int
    let step: Int
    /// At most `TaskList.mostTasks`.
    let count: Int

    func number(at row: Int) -> Int { first + row * step }
}

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
        var rest = number + excluded.indices.partitioningIndex { excluded[$0] - $0 > number }
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
