internal import Diagnostics
package import JobFile
internal import SystemKit

/// The passes over a job in their order, each with the results of the earlier passes.
extension Plan {
    /// Checks a document from its first key to its last, and plans it when nothing is wrong.
    ///
    /// All faults are found in one go. Nothing is read except through `options`, and nothing is
    /// written.
    package static func make(
        from document: Document,
        options: PlanOptions
    ) throws(PlanRejected) -> Plan {
        let (head, headReader) = JobHead.read(document, options)
        var reader = headReader
        let taskReader = TaskReader(shared: SharedSettings(of: head, with: &reader))
        reader.values.tasks = TaskEntries.list(of: head, &reader)
        let expansion = Expansion(options, with: &reader)
        reader.values.tasks.setGroups(expansion.groups)
        if let shard = options.shard { ShardRows.choose(shard, with: &reader) }
        let files = expansion.dataFiles.paths
        var checks = JobChecks(of: head, taskReader, dataPaths: files, with: &reader)
        let mostKept = options.isWhole ? options.mostKeptTasks : 0
        let kept = TaskPass.read(taskReader, mostKept: mostKept, into: &checks, with: &reader)
        var selection = TaskSelection(options.only, with: &reader)
        let distinguished = checks.needs.distinguishedEntries
        let graph = checks.graph(of: reader.values.tasks, chosen: selection.needs)
        selection.shard = options.shard.map {
            ShardNodes($0, of: graph, distinguished: distinguished, with: reader)
        }
        checks.finish(graph, &reader)

        let diagnostics = inFileOrder(reader.faults.log.diagnostics)
        let optionFault =
            checks.destinations.reportFault ?? taskReader.shared.fault(of: options.shard)
        guard !reader.faults.log.hasErrors, optionFault == nil,
            selection.unknown.isEmpty || options.allowsAbsentTasks
        else {
            throw PlanRejected(
                diagnostics: diagnostics,
                dataFaults: reader.faults.log.dataFaults,
                unknownTasks: selection.unknown,
                secretVariables: reader.values.secrets.variables,
                optionFault: optionFault
            )
        }
        let all = reader.values.tasks
        let (tasks, chosenGraph) = selection.restrict(all, graph, &checks.traits, in: document)
        let position = { selection.position(of: $0, of: all, in: tasks, document) }
        var secrets = checks.secrets.secrets { position($0) != nil }
        secrets.formUnion(head.draft.hooks.secrets)
        return Plan(
            head,
            checks.traits,
            graph: chosenGraph,
            warnings: diagnostics,
            shardWarning: selection.shard?.warning,
            absentTasks: selection.unknown.map(\.id),
            neededSecrets: secrets.positions.compactMap { reader.values.secrets.declarations[$0] },
            source: TaskSource(
                tasks,
                reader: reader.forReading(tasks),
                taskReader: taskReader,
                kept: kept,
                captureUses: checks.captures.uses(in: tasks, position: position),
                files: checks.destinations.files
            )
        )
    }

    /// In file order, and each place once: an anchor's content is read again at each alias.
    private static func inFileOrder(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        var result: [Diagnostic] = []
        for diagnostic in diagnostics.inFileOrder {
            let isKnown = result.last.map {
                $0.code == diagnostic.code && $0.range == diagnostic.range
                    && $0.notes == diagnostic.notes
            }
            if isKnown != true { result.append(diagnostic) }
        }
        return result
    }
}

/// The fifth pass over a job: reads each task once.
enum TaskPass {
    /// Reads the numbered tasks of `reader` in the order of the file; `checks` get each task.
    ///
    /// Returns the tasks among the first `mostKept` that are kept as values.
    static func read(
        _ taskReader: TaskReader,
        mostKept: Int,
        into checks: inout JobChecks,
        with reader: inout Reader
    ) -> KeptTasks {
        var kept = KeptTasks(capacity: mostKept)
        let groups = reader.values.tasks.groups
        var nextGroup = 0
        for number in reader.values.tasks.entries.indices {
            if nextGroup < groups.count, groups[nextGroup].entry == number {
                var rows = RowPass(nextGroup, of: reader, taskReader)
                rows.read(into: &checks, with: &reader)
                nextGroup += 1
                continue
            }
            let task = taskReader.read(number, mostKept: mostKept, with: &reader)
            checks.note(task, of: number, &reader)
            if let value = task.value { kept.keep(value) }
        }
        reader.faults.owner = .job
        return kept
    }
}

/// The tasks that `--only` and `--shard` choose.
struct TaskSelection {
    /// The chosen tasks; none for all.
    private(set) var needs: [Need] = []
    /// The nodes of the graph in the chosen shard; nil for all.
    var shard: ShardNodes?
    /// Ids of `--only` that no task has.
    private(set) var unknown: [PlanRejected.UnknownTask] = []
    /// Whether `--only` chooses every task.
    private let isAll: Bool

    /// Finds tasks by their ids; none means all tasks.
    init(_ ids: [String], with reader: inout Reader) {
        isAll = ids.isEmpty
        for id in ids {
            if let need = reader.need(id) {
                needs.append(need)
            } else {
                unknown.append(.init(id: id, nearest: reader.nearestTask(id)))
            }
        }
    }

    private var isWhole: Bool { isAll && shard == nil }

    /// The chosen tasks of a list with their needs, and their graph.
    ///
    /// A shard has the orders of its own tasks: no other run of the job sends them.
    func restrict(
        _ tasks: TaskList,
        _ graph: TaskGraph,
        _ traits: inout JobTraits,
        in document: Document
    ) -> (TaskList, TaskGraph) {
        guard !isWhole else { return (tasks, graph) }
        let units = needs.flatMap { graph.units(of: tasks.tasks(of: $0)) }
        var nodes = isAll ? Array(0..<graph.count) : graph.closure(of: units)
        // All needs of a node are in its shard.
        if let shard {
            nodes.removeAll { !shard.contains($0) }
            traits.keepOrders(of: nodes.lazy.map(graph.tasks))
        }
        return (
            tasks.restricted(to: nodes.lazy.map(graph.tasks), in: document),
            graph.restricted(to: nodes)
        )
    }

    /// The position of a job's entry in the list of `restrict`; nil if the list does not have it.
    func position(
        of entry: Int,
        of tasks: TaskList,
        in chosen: TaskList,
        _ document: Document
    ) -> Int? {
        isWhole ? entry : chosen.find(idOf: tasks.entries[entry].key, in: document)
    }
}
