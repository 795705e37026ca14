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
    /// The errors so far, without the note about their row, with their positions in the log.
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
        var count = 0
        let isRight = reader.isFaultless { count = readRows(into: &checks, with: &$0) }
        reader.values.row = nil
        reader.hasCheckedTexts = false
        finish(&checks, count: count, isRight: isRight, &reader)
    }

    /// Reads the common settings and the rows; returns the number of rows that should be read.
    private mutating func readRows(
        into checks: inout JobChecks,
        with reader: inout Reader
    ) -> Int {
        var common = CommonSettings(draft: taskReader.shared.defaults)
        let isFaultless = reader.isFaultless { readCommon(&common, into: &checks, with: &$0) }
        var cursor = RowCursor(group.rows)
        // When a common setting is faulty, one row is enough to find the other faults.
        let count = min(group.count, isFaultless ? .max : 1)
        keys = RowKeyCheck(capacity: count)
        for task in group.first..<group.first + count
        where !reader.faults.log.isFull && !reader.values.filledIn.isTooMuch
            && faultyRows < DataFiles.shownRows
        {
            let row = group.row(of: task)
            do throws(DataRows.Failure) {
                reader.values.row = try cursor.row(at: row)
            } catch {
                reader.faults.log.add(reader.changedData(of: task, error))
                break
            }
            let mark = reader.faults.log.mark
            var key: String?
            let isFaultless = reader.isFaultless {
                key = readRow(row, of: task, common, into: &checks, with: &$0)
            }
            if !isFaultless {
                noteFault(of: row, key, since: mark, &reader)
            } else if reader.faults.log.mark == mark {
                reader.hasCheckedTexts = true
            }
        }
        return count
    }

    private func readCommon(
        _ common: inout CommonSettings,
        into checks: inout JobChecks,
        with reader: inout Reader
    ) {
        let entry = reader.values.tasks.entries[group.entry]
        common.deferred = taskReader.readCommon(entry, into: &common.draft, with: &reader)
        common.leavesScheduling = common.deferred.contains {
            ["priority", "required"].contains($0.field.name)
        }
        common.leavesNeeds = common.deferred.contains {
            $0.field.name == "needs"
                || $0.field.name == "when"
                    && !WhenTable.ids(in: $0.field.node, reader.document).isEmpty
        }
        common.uses = reader.takeSecretUses()
        let (references, draft) = (reader.takeCaptureReferences(), common.draft)
        if !common.leavesNeeds { common.needs = draft.requirements }
        checks.captures.note(references, of: group.entry, needs: common.needs)
        checks.needs.append(group.entry, needs: common.needs)
        reader.values.tasks.set(group.entry, isRequired: draft.isRequired, priority: draft.priority)
        if group.rows.count == 0 { EmptyGroupCheck.check(group, common.deferred, &reader) }
    }

    /// Reads the reader's row, which is that of a task; returns its key.
    private mutating func readRow(
        _ row: Int,
        of task: Int,
        _ common: CommonSettings,
        into checks: inout JobChecks,
        with reader: inout Reader
    ) -> String? {
        var draft = common.draft
        let isRight = taskReader.readRow(
            common.deferred,
            uses: common.uses,
            of: reader.values.tasks.entries[group.entry],
            into: &draft,
            with: &reader
        )
        // All rows use the same captures, but each row may have needs of its own: the graph shows
        // whether each row needs the tasks that capture.
        let references = reader.takeCaptureReferences()
        if task == group.first {
            checks.captures.note(references, of: group.entry, needs: common.needs)
        }
        secrets.formUnion(draft.secrets)
        let key = reader.values.row.flatMap { RowKey.key(of: $0, in: group.rows, &reader) }
        if let key { keys.note(key) }
        guard isRight else { return key }
        if common.leavesNeeds {
            checks.needs.append(group.entry, row: row, needs: draft.requirements)
        }
        if common.leavesScheduling {
            settings.append(.init(isRequired: draft.isRequired, priority: draft.priority))
        }
        checks.note(
            ReadTask.Traits.of(draft),
            of: task,
            isFilledIn: references.isEmpty,
            &reader
        )
        return key
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
        let document = reader.document
        if !isRight,
            ["needs", "when"].contains(where: { document.value(of: entry.value, for: $0) != nil })
        {
            checks.captures.noteUnknownNeeds(of: group.entry)
        }
        checks.secrets.note(secrets, of: group.entry)
        if settings.count == group.count { reader.values.tasks.set(settings, of: number) }
        if faultyRows == 0, keys.count == count { keys.report(in: group, &reader) }
    }

    /// Adds a note that names the row to the errors of a row.
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

/// The settings that all rows of a `forEach` share, and those that each row adds to them.
private struct CommonSettings {
    var draft: TaskDraft
    var deferred: [DeferredValue] = []
    /// The places of secrets in the draft.
    var uses: [SecretUse] = []
    /// The needs of all rows; none when each row has its own.
    var needs: [Requirement] = []
    /// Whether each row has its own needs.
    var leavesNeeds = false
    /// Whether each row has its own `priority`, or its own `required`.
    var leavesScheduling = false
}
