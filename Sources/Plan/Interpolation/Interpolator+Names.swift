internal import JobFile
internal import SystemKit

extension Interpolator {
    /// The expression for a name that is no variable: a value of the item, a secret, or a value
    /// that another task captures; nil for a name that the job does not declare.
    ///
    /// `name` is one as in template languages, such as `token`, `item.id` or `login.token`.
    mutating func expression(for name: String, _ faults: inout FaultReporter) -> String? {
        let fields = itemNames(&faults)
        if name == "item", row != nil || expectsRow, fields.isEmpty { return "${item}" }
        if let (first, rest) = name.cut(atFirst: "."), first == "item" {
            return fields.contains(String(rest.splitAtBytes(".")[0])) ? "${\(name)}" : nil
        }
        if fields.contains(name) { return "${item.\(name)}" }
        if secrets.names.contains(name) { return "${secret.\(name)}" }
        let owner = faults.owner.key.flatMap { tasks.find(idOf: $0, in: faults.document) }
        guard !isNeededBeforeTheRun, let owner else { return nil }
        if let source = owners(&faults)[name], source != owner {
            return "${task.\(faults.document.text(of: tasks.entries[source].key)).\(name)}"
        }
        guard let (id, rest) = name.cut(atFirst: "."), let last = rest.splitAtBytes(".").last,
            Expression.isVariableName(String(last)),
            let source = tasks.find(String(id), in: faults.document), source != owner,
            captureNames.find(of: tasks.entries[source].value, in: faults.document)
                .contains(String(last))
        else { return nil }
        return "${task.\(id).\(last)}"
    }

    /// The names of the values of an item of the task being read; none without a `forEach`.
    private func itemNames(_ faults: inout FaultReporter) -> [String] {
        if let row { return row.fieldNames(in: faults.document) ?? [] }
        guard expectsRow, let key = faults.owner.key,
            let entry = tasks.find(idOf: key, in: faults.document),
            let group = tasks.group(of: entry), tasks.groups[group].rows.count > 0
        else { return [] }
        var cursor = RowCursor(tasks.groups[group].rows)
        return (try? cursor.row(at: 0))?.fieldNames(in: faults.document) ?? []
    }

    /// The first task that captures each name, of the first thousand tasks.
    private mutating func owners(_ faults: inout FaultReporter) -> [String: Int] {
        if let captureOwners { return captureOwners }
        var owners: [String: Int] = [:]
        for source in tasks.entries.indices.prefix(Hints.comparedNames)
        where tasks.group(of: source) == nil {
            let task = tasks.entries[source].value
            for name in captureNames.find(of: task, in: faults.document)
            where owners[name] == nil { owners[name] = source }
        }
        captureOwners = owners
        return owners
    }
}

extension FaultReporter.Owner {
    /// The key of the task that is being read; nil for another owner.
    fileprivate var key: NodeID? {
        if case .task(_, let key) = self { key } else { nil }
    }
}
