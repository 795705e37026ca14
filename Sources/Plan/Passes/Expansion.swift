internal import Diagnostics
internal import JobFile

/// The fourth pass over a job: how many tasks each `forEach` makes, and of which rows.
struct Expansion {
    /// The most items in the job file itself, over all its tasks: a few bytes may ask for many
    /// items, which the runner expands at once.
    private static let mostInlineItems = 100_000

    /// The entries with `forEach`, in their order.
    private(set) var groups: [TaskGroup] = []
    private(set) var dataFiles = DataFiles()
    /// How many names the searches of `glob` have looked at.
    private var walkedNames = 0
    private let options: PlanOptions

    /// Finds the entries with `forEach` among the tasks of `reader`; `mostTasks` is the limit of
    /// all tasks together.
    init(
        _ options: PlanOptions,
        mostTasks: Int = TaskList.mostTasks,
        with reader: inout Reader
    ) {
        self.options = options
        let document = reader.document
        guard document.hasScalar("forEach") else { return }
        var inlineCount = 0
        var count = reader.values.tasks.entries.count
        for (number, entry) in reader.values.tasks.entries.enumerated() {
            guard let found = document.value(of: entry.value, for: "forEach") else { continue }
            reader.faults.owner = .task(entry.kind, entry.key)
            let field = Field(name: "forEach", key: found.key, node: found.value)
            let read = reader.namingTasks { rowSource(field, &$0) }
            var rows = read ?? RowSource(.faulty, key: nil, field: field)
            // The entry itself is no task.
            count += rows.count - 1
            if rows.standsInJobFile { inlineCount += rows.count }
            if inlineCount > Self.mostInlineItems {
                reportTooMany(Self.mostInlineItems, "items in the job file", field, &reader)
            } else if count > mostTasks {
                reportTooMany(mostTasks, "tasks in the job", field, &reader)
            }
            if inlineCount > Self.mostInlineItems || count > mostTasks {
                rows = RowSource(.faulty, key: nil, field: field)
                (inlineCount, count) = (0, 0)
            }
            groups.append(TaskGroup(entry: number, first: 0, rows: rows))
        }
        reader.faults.owner = .job
    }

    private func reportTooMany(
        _ limit: Int,
        _ what: String,
        _ field: Field,
        _ reader: inout Reader
    ) {
        reader.report(
            .outOfRange,
            "`\(field.name)`: more than \(limit) \(what)",
            at: field.node
        )
    }

    private mutating func rowSource(_ field: Field, _ reader: inout Reader) -> RowSource? {
        guard let draft = reader.value(ForEachDraft(), with: ForEachTable.table, in: field),
            let form = draft.form
        else { return nil }
        return reader.ifFaultless { reader in
            checkKey(draft.key, &reader)
            let rows = rows(of: form, draft, &reader)
            return rows.map { RowSource($0, key: draft.key, field: field) }
        }
    }

    private mutating func rows(
        of form: ForEachDraft.Form,
        _ draft: ForEachDraft,
        _ reader: inout Reader
    ) -> RowSource.Form? {
        switch form {
        case .items(let field):
            let keys = ForEachTable.table.keys
            return reader.showingShape(of: field, in: keys) { items(field, &$0) }
                .map { .items($0) }
        case .range(let field):
            let keys = ForEachTable.table.keys
            return reader.showingShape(of: field, in: keys) { range(field, &$0) }
                .map { .range($0) }
        case .matrix(let field):
            return MatrixType.matrix(
                field,
                exclude: draft.exclude,
                most: Self.mostInlineItems,
                &reader
            )
            .map { .matrix($0) }
        case .data(let format, let path, let field):
            return dataFiles.rows(format, path, field, options, &reader).map { .data($0) }
        case .glob(let field):
            return FileSearch.rows(
                field,
                includesHidden: draft.includesHidden,
                names: &walkedNames,
                options,
                &reader
            ).map { .files($0) }
        }
    }

    /// A key that is the same for every item names none of them.
    private func checkKey(_ key: Field?, _ reader: inout Reader) {
        guard let key, !reader.dependsOnItem(key.node) else { return }
        let text = reader.document.text(of: key.node)
        let likely = "${item.\(text)}"
        let fault = ValueFault(
            .badExpression,
            "`\(text.excerpt)` is the same for every item",
            likely: Expression.isVariableName(text) ? likely : nil,
            help: "write `${item}` or a field of it"
        )
        reader.report(fault, of: key)
    }

    private func items(_ field: Field, _ reader: inout Reader) -> [NodeID]? {
        guard reader.isList(field) else { return nil }
        let document = reader.document
        let nodes = Array(document.elements(of: field.node))
        for node in nodes {
            switch document.kind(of: node) {
            case .mapping: continue
            case .scalar where document.scalar(of: node) != .null: continue
            default:
                reader.report(
                    .wrongType,
                    "`items`: expected a scalar or a mapping, found "
                        + "\(reader.faults.name(of: node))",
                    at: node
                )
            }
        }
        return nodes
    }

    private func range(_ field: Field, _ reader: inout Reader) -> NumberRange? {
        let type = ValueType<Int>.integer(ForEachTable.numbers)
        guard let numbers = reader.elements(field, of: type) else { return nil }
        guard (2...3).contains(numbers.count) else {
            reader.report(
                .badValue,
                "`range`: expected the first and the last number, and perhaps a step",
                at: field.node,
                help: "such as `[1, 100]` or `[1, 100, 2]`"
            )
            return nil
        }
        let step = numbers.count == 3 ? numbers[2] : 1
        let distance = numbers[1] - numbers[0]
        guard step != 0, distance == 0 || (distance > 0) == (step > 0) else {
            reader.report(
                .badValue,
                "`range`: steps of \(step) do not lead from \(numbers[0]) to \(numbers[1])",
                at: field.node,
                help: step == 0 ? nil : "the third number is the step, such as `\(-step)`"
            )
            return nil
        }
        return NumberRange(first: numbers[0], step: step, count: distance / step + 1)
    }
}

extension RowSource {
    /// Whether the job file itself has the values of the rows.
    fileprivate var standsInJobFile: Bool {
        switch form {
        case .items, .range, .matrix: true
        case .data, .files, .faulty: false
        }
    }
}
