internal import JobFile

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
    /// `key`, which names the rows; nil when they do it themselves.
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
