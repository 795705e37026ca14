internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Reads the tasks of one `forEach`: their common settings once, and the rest row by row.
struct RowPass {
    private let taskReader: TaskReader
    private let group: TaskGroup
    /// The group's number.
    private let number: Int
    private var keys = RowKeyCheck(capacity: 0)
    private var settings: [TaskGroup.Settings] = []
    /// The errors so far, without the note about their row, and where they stand.
    private var known: [Diagnostic: Int] = [:]
    private var faultyRows = 0
    /// The secrets of all rows: a row may choose its session.
    private var secrets = SecretSet()

    /// A pass over a group of the tasks of `reader`.
    init(_ number: Int, of reader: Reader, _ taskReader: TaskReader) {
        self.number = number
        self.taskReader = taskReader
        group = reader.values.tasks.groups[number]
    }

    /// Reads all rows, until too many of them are faulty.
    mutating func read(into checks: inout JobChecks, with reader: inout Reader) {
        let entry = reader.values.tasks.entries[group.entry]
        let errors = reader.faults.log.errorCount
        var base = taskReader.shared.defaults
        let deferred = taskReader.readCommon(entry, into: &base, with: &reader)
        let uses = reader.takeSecretUses()
        let references = reader.takeCaptureReferences()
        checks.captures.note(references, of: group.entry, needs: base.needs)
        checks.needs.append(group.entry, needs: base.needs)
        reader.values.tasks.set(group.entry, isRequired: base.isRequired, priority: base.priority)
        let hasOwnSettings = deferred.contains { ["priority", "required"].contains($0.field.name) }

        if group.rows.count == 0 { EmptyGroupCheck.check(group, deferred, &reader) }
        var cursor = RowCursor(group.rows)
        // When a common setting is faulty, one row is enough to find the other faults.
        let count = min(group.rows.count, reader.faults.log.errorCount == errors ? .max : 1)
        keys = RowKeyCheck(capacity: count)
        for row in 0..<count
        where !reader.faults.log.isFull && !reader.values.isOverfilled
            && faultyRows < DataFiles.shownRows
        {
            var draft = base
            let (mark, errors) = (reader.faults.log.mark, reader.faults.log.errorCount)
            do throws(DataRows.Failure) {
                reader.values.row = try cursor.row(at: row)
            } catch {
                reader.faults.log.add(reader.changedData(of: group.first + row, error))
                break
            }
            let isRight = taskReader.readRow(
                deferred,
                uses: uses,
                of: entry,
                into: &draft,
                with: &reader
            )
            // All rows use the same captures, but each row may have needs of its own: the graph
            // tells whether each row needs the tasks that capture.
            let references = reader.takeCaptureReferences()
            if row == 0 { checks.captures.note(references, of: group.entry, needs: base.needs) }
            secrets.formUnion(draft.secrets)
            let key = reader.values.row.flatMap { RowKey.key(of: $0, in: group.rows, &reader) }
            if let key { keys.note(key) }
            if isRight {
                if !draft.needs.isEmpty, draft.needs != base.needs {
                    checks.needs.append(group.entry, row: row, needs: draft.needs)
                }
                if hasOwnSettings {
                    settings.append(.init(isRequired: draft.isRequired, priority: draft.priority))
                }
                checks.note(
                    ReadTask.Traits.of(draft),
                    of: group.first + row,
                    isFilledIn: references.isEmpty,
                    &reader
                )
            }
            if reader.faults.log.errorCount > errors {
                noteFault(of: row, key, since: mark, &reader)
            }
        }
        reader.values.row = nil
        finish(&checks, count: count, isRight: reader.faults.log.errorCount == errors, &reader)
    }

    /// Hands over the results of all rows together.
    private mutating func finish(
        _ checks: inout JobChecks,
        count: Int,
        isRight: Bool,
        _ reader: inout Reader
    ) {
        let entry = reader.values.tasks.entries[group.entry]
        // A row with a fault may have needs that are not known.
        if !isRight, reader.document.value(of: entry.value, for: "needs") != nil {
            checks.captures.noteUnknownNeeds(of: group.entry)
        }
        checks.secrets.note(secrets, of: group.entry)
        if settings.count == group.rows.count { reader.values.tasks.set(settings, of: number) }
        if faultyRows == 0, keys.count == count { keys.report(in: group, &reader) }
    }

    /// Says of the errors of a row which one it is.
    private mutating func noteFault(
        of row: Int,
        _ key: String?,
        since mark: Int,
        _ reader: inout Reader
    ) {
        faultyRows += 1
        let id = reader.document.text(of: reader.values.tasks.entries[group.entry].key)
        var text = "in `\(id)[\((key ?? "#\(row + 1)").excerpt)]`"
        var range: SourceRange?
        switch group.rows.form {
        case .data(let rows):
            if let line = rows.text(of: row)?.line { text += ", line \(line) of `\(rows.name)`" }
        case .items(let nodes): range = reader.document.range(of: nodes[row])
        default: break
        }
        if faultyRows == DataFiles.shownRows { text += "; further rows were not checked" }
        reader.faults.log.addNote(.init(text, at: range), since: mark, known: &known)
    }
}
