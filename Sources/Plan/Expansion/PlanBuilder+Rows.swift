internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

extension PlanBuilder {
    /// What is gathered while the rows of a group are gone through.
    private struct RowCheck {
        /// A hash for each key.
        var keys: [UInt64] = []
        var settings: [TaskGroup.Settings] = []
        /// The errors so far, without what says which row they are about, and where they stand.
        var known: [Diagnostic: Int] = [:]
        var faultyRows = 0
        /// Those of all rows: a row may choose its session.
        var secrets = SecretSet()
    }

    /// Reads the tasks of a group: what they share once, and the rest row by row.
    mutating func readRows(
        of number: Int,
        _ taskReader: TaskReader,
        _ needs: inout TaskGraphBuilder,
        paths: TaskPathsReader
    ) {
        let group = reader.tasks.groups[number]
        let entry = reader.tasks.entries[group.entry]
        let errors = reader.errorCount
        var base = taskReader.shared.defaults
        let deferred = taskReader.readCommon(entry, into: &base, with: &reader)
        let uses = reader.takeSecretUses()
        captures.note(reader.takeCaptureReferences(), of: group.entry, needs: base.needs)
        needs.append(group.entry, needs: base.needs)
        reader.tasks.set(group.entry, isRequired: base.isRequired, priority: base.priority)
        let hasOwnSettings = deferred.contains { ["priority", "required"].contains($0.field.name) }

        if group.rows.count == 0 { checkEmpty(group, deferred) }
        var check = RowCheck()
        var cursor = RowCursor(group.rows)
        // When what they share is wrong, one row is enough to find what else is.
        let count = min(group.rows.count, reader.errorCount == errors ? .max : 1)
        check.keys.reserveCapacity(count)
        for row in 0..<count
        where !reader.isFull && !reader.isOverfilled && check.faultyRows < DataFiles.shownRows {
            var draft = base
            let (mark, errors) = (reader.mark, reader.errorCount)
            do throws(DataRows.Failure) {
                reader.row = try cursor.row(at: row)
            } catch {
                reader.add(reader.changedData(of: group.first + row, error))
                break
            }
            let isRight = taskReader.readRow(
                deferred,
                uses: uses,
                of: entry,
                into: &draft,
                with: &reader
            )
            // What is captured does not depend on the row, but a row may have needs that others do
            // not have: the graph tells whether each needs what it is filled in with.
            let references = reader.takeCaptureReferences()
            if row == 0 { captures.note(references, of: group.entry, needs: base.needs) }
            check.secrets.formUnion(draft.secrets)
            let key = reader.row.flatMap { reader.key(of: $0, in: group.rows) }
            if let key { check.keys.append(key.utf8.span.seededHash) }
            if isRight {
                if !draft.needs.isEmpty, draft.needs != base.needs {
                    needs.append(group.entry, row: row, needs: draft.needs)
                }
                if hasOwnSettings { check.settings.append(draft.settings) }
                take(
                    ReadTask.Traits(draft),
                    of: group.first + row,
                    isFilledIn: references.isEmpty,
                    paths: paths
                )
            }
            guard reader.errorCount > errors else { continue }
            note(row, key, of: group, since: mark, &check)
        }
        reader.row = nil
        finish(&check, of: number, count: count, isRight: reader.errorCount == errors)
    }

    /// Keeps what the rows of a group say together.
    private mutating func finish(
        _ check: inout RowCheck,
        of number: Int,
        count: Int,
        isRight: Bool
    ) {
        let group = reader.tasks.groups[number]
        let entry = reader.tasks.entries[group.entry]
        // A row with a fault may have needs that are not known.
        if !isRight, document.value(of: entry.value, for: "needs") != nil {
            captures.noteUnknownNeeds(of: group.entry)
        }
        taskSecrets.note(check.secrets, of: group.entry)
        if check.settings.count == group.rows.count { reader.tasks.set(check.settings, of: number) }
        if check.faultyRows == 0, check.keys.count == count {
            reportRepeatedKeys(&check.keys, of: group)
        }
    }

    /// Warns of a `forEach` that makes no task, and checks the names of columns and of a matrix, as
    /// a row would have done.
    private mutating func checkEmpty(_ group: TaskGroup, _ deferred: [DeferredValue]) {
        let reason: String
        switch group.rows.form {
        case .faulty: return
        case .matrix(let matrix):
            if let empty = zip(matrix.names, matrix.values).first(where: { $1.isEmpty })?.0 {
                reason = "`\(empty.excerpt)` has no values"
            } else {
                reason = "all combinations are excluded"
                // The first value of each will do.
                let values = matrix.values.compactMap(\.first)
                checkNames(.combination(names: matrix.names, values: values), of: group, deferred)
            }
        case .items, .range: reason = "it has no items"
        case .data(let rows):
            reason = "`\(rows.name.excerpt)` has no rows"
            if rows.format == .csv {
                let row = Row.record(columns: rows.columns, fields: rows.columns)
                checkNames(row, of: group, deferred)
            }
        }
        let entry = reader.tasks.entries[group.entry]
        let id = document.text(of: entry.key).excerpt
        reader.add(
            Diagnostic(
                .warning,
                .noTasks,
                "the `forEach` of \(entry.kind.rawValue) `\(id)` makes no task: \(reason)",
                at: document.range(of: group.rows.field.node)
            )
        )
    }

    /// Checks that the expressions of a group's tasks ask for what its rows could have.
    private mutating func checkNames(_ row: Row, of group: TaskGroup, _ deferred: [DeferredValue]) {
        reader.row = row
        for field in deferred.map(\.field) + [group.rows.key].compactMap(\.self) {
            reader.checkItems(in: field)
        }
        reader.row = nil
    }

    /// Says of the errors of a row which one it is.
    private mutating func note(
        _ row: Int,
        _ key: String?,
        of group: TaskGroup,
        since mark: Int,
        _ check: inout RowCheck
    ) {
        check.faultyRows += 1
        if let row = reader.row { reader.noteConfidential(of: row) }
        let id = document.text(of: reader.tasks.entries[group.entry].key)
        var text = "in `\(id)[\((key ?? "#\(row + 1)").excerpt)]`"
        var range: SourceRange?
        switch group.rows.form {
        case .data(let rows):
            if let line = rows.text(of: row)?.line { text += ", line \(line) of `\(rows.name)`" }
        case .items(let nodes): range = document.range(of: nodes[row])
        default: break
        }
        if check.faultyRows == DataFiles.shownRows { text += "; further rows were not checked" }
        reader.addNote(.init(text, at: range), since: mark, known: &check.known)
    }

    // MARK: Keys

    /// Reports rows that have the key of an earlier one.
    ///
    /// The hashes are sorted where they stand, so that a key costs eight bytes; only where two are
    /// equal are the keys themselves looked at.
    private mutating func reportRepeatedKeys(_ hashes: inout [UInt64], of group: TaskGroup) {
        hashes.sort()
        let repeated = Set(
            zip(hashes, hashes.dropFirst()).lazy.filter { $0 == $1 }.map(\.0)
                .prefix(DataFiles.shownRows)
        )
        guard !repeated.isEmpty else { return }
        let entry = reader.tasks.entries[group.entry]
        reader.owner = .task(entry.kind, entry.key)
        var firsts: [String: Int] = [:]
        var shown = 0
        var cursor = RowCursor(group.rows)
        for row in 0..<group.rows.count where shown < DataFiles.shownRows {
            guard let item = try? cursor.row(at: row),
                let key = reader.key(of: item, in: group.rows),
                repeated.contains(key.utf8.span.seededHash)
            else { continue }
            if let first = firsts[key] {
                reader.noteConfidential(of: item)
                reportRepeated(key, row, first, of: group)
                shown += 1
            } else {
                firsts[key] = row
            }
        }
    }

    private mutating func reportRepeated(
        _ key: String,
        _ row: Int,
        _ first: Int,
        of group: TaskGroup
    ) {
        let message = "the key `\(key.excerpt)` stands twice\(reader.context)"
        let help =
            "keys name the tasks of a `forEach`: say with `key` what is different in each item"
        switch group.rows.form {
        case .data(let rows):
            guard let second = rows.text(of: row), let first = rows.text(of: first) else { return }
            let start = SourcePosition(line: second.line, column: 1)
            let other = SourceRange(SourcePosition(line: first.line, column: 1))
            let source = SourceText(
                name: rows.name,
                bytes: Array(second.text),
                firstLine: second.line
            )
            reader.add(
                FileDiagnostics(
                    source: source,
                    diagnostics: [
                        Diagnostic(
                            .error,
                            .duplicateKey,
                            message,
                            at: SourceRange(start),
                            notes: [.init("it stands here first", at: other)],
                            help: help
                        )
                    ],
                    confidential: rows.format.confidentialRanges(in: source, rows.columns)
                )
            )
        case .items(let nodes):
            reader.report(
                .duplicateKey,
                message,
                at: nodes[row],
                notes: [.init("it stands here first", at: document.range(of: nodes[first]))],
                help: help
            )
        default:
            reader.report(
                .duplicateKey,
                message,
                at: (group.rows.key ?? group.rows.field).node,
                help: help
            )
        }
    }
}

extension TaskDraft {
    fileprivate var settings: TaskGroup.Settings {
        .init(isRequired: isRequired, priority: priority)
    }
}
