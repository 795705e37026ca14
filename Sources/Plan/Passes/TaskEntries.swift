internal import Diagnostics
internal import JobFile

/// The third pass over a job, which finds the places of its tasks.
enum TaskEntries {
    /// Finds the tasks of all sections, checks their ids, and makes them findable.
    static func list(of head: JobHead, _ reader: inout Reader) -> TaskList {
        let (document, sections) = (head.document, head.draft.sections)
        var entries: [TaskList.Entry] = []
        entries.reserveCapacity(sections.reduce(0) { $0 + document.count(of: $1.field.node) })
        let keys = JobTable.table.keys
        for (kind, field) in sections
        where reader.isMapping(field, in: keys, help: hint(field, document)) {
            for entry in document.entries(of: field.node) where !reader.document.isFree(entry.key) {
                IDCheck.check(entry.key, "task id", &reader)
                entries.append(.init(key: entry.key, value: entry.value, kind: kind))
            }
        }
        let list = TaskList(entries, in: document)
        if sections.count > 1 { reportDuplicates(in: list, &reader) }
        if entries.isEmpty, !reader.faults.log.hasErrors {
            reader.faults.log.warn(
                .noTasks,
                "the job has no tasks, so a run does nothing",
                at: SourceRange(document.range(of: document.root).start)
            )
        }
        return list
    }

    /// The hint for a section without tasks below it, as when they are not indented.
    private static func hint(_ field: Field, _ document: Document) -> String? {
        let isEmpty =
            document.kind(of: field.node) == .scalar && document.scalar(of: field.node) == .null
        return isEmpty ? Hints.section(field.name) : nil
    }

    /// Reports ids that two sections use; within a section that is a repeated key, a fault of the
    /// YAML.
    private static func reportDuplicates(in list: TaskList, _ reader: inout Reader) {
        for (number, first) in list.repeated {
            let entry = list.entries[number]
            let first = list.entries[first]
            guard first.kind != entry.kind else { continue }
            reader.report(
                .duplicateID,
                "duplicate task id `\(reader.document.text(of: entry.key))`",
                at: entry.key,
                notes: [.init("the first one is here", at: reader.document.range(of: first.key))],
                help: "ids are unique over all sections"
            )
        }
    }
}

/// Checks the names of sessions and tasks.
enum IDCheck {
    /// Reports a key that is no id; `what` says what it names.
    static func check(_ key: NodeID, _ what: String, _ reader: inout Reader) {
        guard !reader.document.withBytes(of: key, TaskID.isValid) else { return }
        reader.report(
            .badID,
            "`\(reader.document.text(of: key))` is not a \(what)",
            at: key,
            help: "it has letters, digits, `.`, `_` and `-`, and begins with a letter or digit"
        )
    }
}
