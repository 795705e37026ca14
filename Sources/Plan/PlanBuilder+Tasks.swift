internal import Diagnostics
internal import JobFile
internal import TransferModel

/// The tasks: found, read once each, and chosen from by `--only`.
extension PlanBuilder {
    /// Finds the tasks of all sections, checks their ids, and makes them findable.
    mutating func listTasks() -> TaskList {
        var entries: [TaskList.Entry] = []
        entries.reserveCapacity(
            draft.sections.reduce(0) { $0 + document.count(of: $1.field.node) }
        )
        for section in draft.sections
        where reader.isMapping(section.field, help: sectionHint(section.field)) {
            for entry in document.entries(of: section.field.node) where !reader.isFree(entry.key) {
                checkID(entry.key, "task id")
                entries.append(.init(key: entry.key, value: entry.value, kind: section.kind))
            }
        }
        let list = TaskList(entries, in: document)
        if draft.sections.count > 1 { reportDuplicates(in: list) }
        if entries.isEmpty, reader.errorCount == 0 {
            let range = SourceRange(document.range(of: document.root).start)
            reader.add(
                Diagnostic(
                    .warning,
                    .noTasks,
                    "the job has no tasks, so a run does nothing",
                    at: range
                )
            )
        }
        return list
    }

    /// What is said of a section that has no tasks below it, as when they are not indented.
    private func sectionHint(_ field: Field) -> String? {
        let isEmpty =
            document.kind(of: field.node) == .scalar && document.scalar(of: field.node) == .null
        return isEmpty ? Reader.sectionHint(field.name) : nil
    }

    /// Two sections may not use one id; within a section that is a key that stands twice, a fault
    /// of the YAML.
    private mutating func reportDuplicates(in list: TaskList) {
        for (number, first) in list.repeated {
            let entry = list.entries[number]
            guard list.entries[first].kind != entry.kind else { continue }
            reader.report(
                .duplicateID,
                "the id `\(document.text(of: entry.key))` stands twice",
                at: entry.key,
                notes: [
                    .init("it stands here first", at: document.range(of: list.entries[first].key))
                ],
                help: "ids are unique over all sections"
            )
        }
    }

    /// Reads every task once, and keeps of it what the scheduler needs before it starts.
    mutating func readTasks(_ taskReader: TaskReader) -> TaskGraphBuilder {
        var needs = TaskGraphBuilder()
        let count = reader.tasks.entries.count
        needs.reserveCapacity(count)
        destinations = DestinationCheck(of: reader.tasks, in: document)
        destinations.addInputs(job: jobPath, taskReader.shared.sessions, data: dataFiles.paths)
        destinations.addReports(of: draft.report, options, &reader)
        let paths = TaskPathsReader(reader, taskReader)
        let mostKept = keptTasks.capacity
        var ahead = ReadAhead(taskReader, with: reader, mostKept: mostKept)
        let groups = reader.tasks.groups
        var nextGroup = 0
        for number in 0..<count {
            if nextGroup < groups.count, groups[nextGroup].entry == number {
                readRows(of: nextGroup, taskReader, &needs, paths: paths)
                nextGroup += 1
                continue
            }
            let task: ReadTask
            if !reader.isFull, let read = ahead?.take(number, for: &reader) {
                task = read
            } else {
                task = taskReader.read(number, mostKept: mostKept, with: &reader)
            }
            needs.append(number, needs: task.needs)
            take(task, of: number, paths: paths)
        }
        ahead?.finish(for: &reader)
        reader.owner = .job
        return needs
    }

    /// Adds the task of an entry to what is known of all.
    private mutating func take(_ task: ReadTask, of entry: Int, paths: TaskPathsReader) {
        if !task.captureReferences.isEmpty {
            captures.note(task.captureReferences, of: entry, needs: task.needs)
        }
        guard let traits = task.traits else {
            let place = reader.tasks.entries[entry].value
            if task.needs.isEmpty, document.value(of: place, for: "needs") != nil {
                captures.noteUnknownNeeds(of: entry)
            }
            return
        }
        taskSecrets.note(traits.secrets, of: entry)
        reader.tasks.set(entry, isRequired: traits.isRequired, priority: traits.priority)
        take(
            traits,
            of: reader.tasks.tasks(of: entry).lowerBound,
            isFilledIn: task.captureReferences.isEmpty,
            paths: paths
        )
        if let value = task.value { keptTasks.keep(value) }
    }

    /// Adds a task that is right to what is known of all.
    mutating func take(
        _ traits: ReadTask.Traits,
        of task: Int,
        isFilledIn: Bool,
        paths: TaskPathsReader
    ) {
        destinations.check(traits.paths, of: task, paths: paths.paths, &reader)
        if traits.hasServerName { hasServerNames = true }
        if traits.tightensAccess { tightensAccess = true }
        if traits.makesKey { orderCount += 1 }
        if let key = traits.givenKey, isFilledIn { keys.note(key, of: task) }
        if !sessionTasks.isEmpty, let session = traits.session { sessionTasks[session] += 1 }
        mostAttempts = max(mostAttempts, traits.attempts)
    }

    /// The tasks of `--only`, none for all; and those of its ids that no task has.
    mutating func chosenTasks() -> (tasks: [Need], unknown: [PlanRejected.UnknownTask]) {
        var chosen: [Need] = []
        var unknown: [PlanRejected.UnknownTask] = []
        for id in options.only {
            if let need = reader.need(id) {
                chosen.append(need)
            } else {
                unknown.append(.init(id: id, nearest: reader.nearestTask(id)))
            }
        }
        return (chosen, unknown)
    }

    /// The tasks of `--only` and what they need, and their graph; all when there is none.
    func restrict(_ graph: TaskGraph, to chosen: [Need]) -> (TaskList, TaskGraph) {
        guard !options.only.isEmpty else { return (reader.tasks, graph) }
        let tasks = reader.tasks
        var units: [Int] = []
        for need in chosen {
            let all = tasks.tasks(of: need.entry)
            let range = need.row.map { all.lowerBound + $0..<all.lowerBound + $0 + 1 } ?? all
            units.append(contentsOf: graph.units(of: range))
        }
        let nodes = graph.closure(of: units)
        return (
            tasks.restricted(to: nodes.lazy.map(graph.tasks), in: document),
            graph.restricted(to: nodes)
        )
    }

    /// Where an entry of the file stands in the list of `restrict`; nil when it was left out.
    func position(of entry: Int, in tasks: TaskList) -> Int? {
        guard !options.only.isEmpty else { return entry }
        return tasks.find(idOf: reader.tasks.entries[entry].key, in: document)
    }
}
