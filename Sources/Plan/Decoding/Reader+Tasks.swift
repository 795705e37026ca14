internal import Diagnostics
internal import JobFile
internal import SystemKit

extension Reader {
    /// Whether an expression of a value, or of one inside of it, asks for the item.
    func dependsOnItem(_ node: NodeID) -> Bool {
        switch document.kind(of: node) {
        case .scalar:
            document.hasInterpolation(node)
                && document.withBytes(of: node) { $0.contains("${item".utf8.span) }
        case .sequence: document.elements(of: node).contains { dependsOnItem($0) }
        case .mapping: document.entries(of: node).contains { dependsOnItem($0.value) }
        }
    }

    /// Makes `${item…}` mean the row of a task; without `forEach` it means nothing.
    mutating func enterRow(of task: Int) throws(DataRows.Failure) {
        guard !values.tasks.groups.isEmpty else { return }
        let place = values.tasks.place(of: task)
        guard let group = place.group else { return values.row = nil }
        var cursor = RowCursor(values.tasks.groups[group].rows)
        values.row = try cursor.row(at: place.row)
    }

    /// The id of a task.
    mutating func id(of task: Int) -> String {
        guard !values.tasks.groups.isEmpty else {
            return document.text(of: values.tasks.entries[task].key)
        }
        let place = values.tasks.place(of: task)
        return id(of: Need(entry: place.entry, row: place.group.map { _ in place.row }))
    }

    /// The id of all tasks of an entry, or of one row of it.
    mutating func id(of need: Need) -> String {
        let id = document.text(of: values.tasks.entries[need.entry].key)
        guard let row = need.row, let group = values.tasks.group(of: need.entry) else { return id }
        return "\(id)[\(key(of: row, in: values.tasks.groups[group].rows) ?? "#\(row + 1)")]"
    }

    /// The id of a task, or the id of the `forEach` if these are all of its tasks.
    mutating func name(of tasks: Range<Int>) -> String {
        let place = values.tasks.place(of: tasks.lowerBound)
        let isWhole = values.tasks.tasks(of: place.entry) == tasks && place.group != nil
        return isWhole ? id(of: Need(entry: place.entry)) : id(of: tasks.lowerBound)
    }

    /// The key of a row by its number; nil when there is none or it cannot be read.
    private mutating func key(of number: Int, in source: RowSource) -> String? {
        var cursor = RowCursor(source)
        do throws(DataRows.Failure) {
            return RowKey.key(of: try cursor.row(at: number), in: source, &self)
        } catch {
            return nil
        }
    }

    /// The task or tasks that an id means; nil when there are none.
    mutating func need(_ id: String) -> Need? {
        if let entry = values.tasks.find(id, in: document) { return Need(entry: entry) }
        // By bytes: a bracket and the Unicode scalar after it may form one character.
        guard id.utf8.last == UInt8(ascii: "]"),
            let bracket = id.utf8.firstIndex(of: UInt8(ascii: "[")),
            let entry = values.tasks.find(String(id[..<bracket]), in: document),
            let group = values.tasks.group(of: entry)
        else { return nil }
        let source = values.tasks.groups[group].rows
        // Its own fault is reported.
        if case .faulty = source.form { return Need(entry: entry) }
        let key = String(Substring(id.utf8[bracket...].dropFirst().dropLast()))
        return row(of: key, in: source, of: entry).map { Need(entry: entry, row: $0) }
    }

    /// The row that a key names.
    private mutating func row(of key: String, in source: RowSource, of entry: Int) -> Int? {
        let index = keyIndexes[entry] ?? keyIndex(of: source)
        keyIndexes[entry] = index
        var again = forReading(values.tasks)
        return index.find(key.utf8.span.seededHash) { again.key(of: $0, in: source) == key }
    }

    /// Finds every row of a source by its key.
    private func keyIndex(of source: RowSource) -> TextIndex {
        var index = TextIndex(capacity: source.count)
        var cursor = RowCursor(source)
        // The check of the row reports faults of its key.
        var again = forReading(values.tasks)
        for number in 0..<source.count {
            guard let row = try? cursor.row(at: number),
                let key = RowKey.key(of: row, in: source, &again)
            else { continue }
            index.insert(number, hash: key.utf8.span.seededHash)
        }
        return index
    }

    /// The id that was probably meant; looked for among the first thousand, so that many faults
    /// stay cheap.
    mutating func nearestTask(_ id: String) -> String? {
        let bracket = id.utf8.firstIndex(of: UInt8(ascii: "[")) ?? id.endIndex
        if let entry = values.tasks.find(String(id[..<bracket]), in: document) {
            guard let group = values.tasks.group(of: entry), bracket < id.endIndex else {
                return String(id[..<bracket])
            }
            let source = values.tasks.groups[group].rows
            var again = forReading(values.tasks)
            let count = min(source.count, 1000)
            return faults.hints.nearest(
                id,
                among: (0..<count).map { again.id(of: Need(entry: entry, row: $0)) }
            )
        }
        // Other tools put the name of the section before the id.
        if let plain = id.cut(atFirst: ".").map({ String($0.1) }),
            values.tasks.find(plain, in: document) != nil
        {
            return plain
        }
        let (document, entries) = (self.document, values.tasks.entries)
        return faults.hints.nearest(
            id,
            among: entries.prefix(Hints.comparedNames).map { document.text(of: $0.key) }
        )
    }

    /// Why a task's row cannot be read any more.
    func changedData(of task: Int, _ failure: DataRows.Failure) -> Diagnostic {
        let place = values.tasks.place(of: task)
        let entry = values.tasks.entries[place.entry]
        let source = place.group.map { values.tasks.groups[$0].rows }
        let name = if case .data(let rows)? = source?.form { rows.name } else { "" }
        let what =
            switch failure {
            case .changed: "has changed since the job was checked"
            case .unreadable: "can no longer be read"
            }
        return Diagnostic(
            .error,
            .missingFile,
            "the data file `\(name)` \(what)",
            at: document.range(of: source?.field.node ?? entry.key)
        )
    }
}

extension Span<UInt8> {
    /// Whether a row contains the bytes of another span, which is not empty.
    fileprivate func contains(_ other: Span<UInt8>) -> Bool {
        guard count >= other.count else { return false }
        for start in 0...count - other.count where self[start] == other[0] {
            if extracting(start..<start + other.count).equals(other) { return true }
        }
        return false
    }
}
