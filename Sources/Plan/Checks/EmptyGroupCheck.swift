internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Warns of a `forEach` that makes no task, and performs the checks that its rows would get.
enum EmptyGroupCheck {
    /// Checks a group without rows; `deferred` are the settings that depend on the row.
    static func check(
        _ group: TaskGroup,
        _ deferred: [DeferredValue],
        _ reader: inout Reader
    ) {
        let reason: String
        switch group.rows.form {
        case .faulty: return
        case .matrix(let matrix):
            if let empty = zip(matrix.names, matrix.values).first(where: { $1.isEmpty })?.0 {
                reason = "`\(empty.excerpt)` has no values"
            } else {
                reason = "all combinations are excluded"
                // The first value of each list represents all its values.
                let values = matrix.values.compactMap(\.first)
                let row = Row.combination(names: matrix.names, values: values)
                checkNames(row, of: group, deferred, &reader)
            }
        case .items, .range: reason = "it has no items"
        case .data(let rows):
            reason = "`\(rows.name.excerpt)` has no rows"
            if rows.format == .csv {
                let row = Row.record(columns: rows.columns, fields: rows.columns)
                checkNames(row, of: group, deferred, &reader)
            }
        case .files:
            reason = "no file matches"
            let row = Row.file(FileRows.File(base: "", relativePath: "name"))
            checkNames(row, of: group, deferred, &reader)
        }
        let entry = reader.values.tasks.entries[group.entry]
        let id = reader.document.text(of: entry.key).excerpt
        reader.faults.log.warn(
            .noTasks,
            "the `forEach` of \(entry.kind.rawValue) `\(id)` makes no task: \(reason)",
            at: reader.document.range(of: group.rows.field.node)
        )
    }

    /// Checks that the expressions of a group's tasks ask only for values that its rows could have.
    private static func checkNames(
        _ row: Row,
        of group: TaskGroup,
        _ deferred: [DeferredValue],
        _ reader: inout Reader
    ) {
        reader.with(\.row, row) { reader in
            for field in deferred.map(\.field) + [group.rows.key].compactMap(\.self) {
                reader.values.checkItems(in: field, &reader.faults)
            }
        }
    }
}
