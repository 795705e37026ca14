internal import Diagnostics
internal import JobFile

/// The checks of all tasks of a job together, and the plan's facts about all of them.
struct JobChecks {
    var destinations: DestinationCheck
    var captures = CaptureCheck()
    var secrets = SecretNeeds()
    var needs = TaskGraphBuilder()
    private var keys = RepeatedKeyCheck()
    private(set) var traits: JobTraits
    private let paths: TaskPathsReader

    /// Checks of the numbered tasks of `reader`; `dataPaths` are the absolute paths of the data
    /// files.
    init(
        of head: JobHead,
        _ taskReader: TaskReader,
        dataPaths: [String],
        with reader: inout Reader
    ) {
        let sessions = taskReader.shared.sessions
        traits = JobTraits(sessions: sessions, hasBackground: taskReader.shared.hasBackground)
        destinations = DestinationCheck(of: reader.values.tasks, in: head.document)
        destinations.addInputs(job: head.path, sessions, data: dataPaths)
        destinations.addReports(of: head.draft.report, head.options, &reader)
        paths = TaskPathsReader(reader, taskReader)
        needs.reserveCapacity(reader.values.tasks.entries.count)
    }

    /// Notes the task of an entry without `forEach`.
    mutating func note(_ task: ReadTask, of entry: Int, _ reader: inout Reader) {
        needs.append(entry, needs: task.needs)
        if !task.captureReferences.isEmpty {
            captures.note(task.captureReferences, of: entry, needs: task.needs)
        }
        guard let traits = task.traits else {
            let place = reader.values.tasks.entries[entry].value
            if task.needs.isEmpty, reader.document.value(of: place, for: "needs") != nil {
                captures.noteUnknownNeeds(of: entry)
            }
            return
        }
        secrets.note(traits.secrets, of: entry)
        reader.values.tasks.set(entry, isRequired: traits.isRequired, priority: traits.priority)
        let number = reader.values.tasks.tasks(of: entry).lowerBound
        note(traits, of: number, isFilledIn: task.captureReferences.isEmpty, &reader)
    }

    /// Notes a task that has no fault.
    mutating func note(
        _ own: ReadTask.Traits,
        of task: Int,
        isFilledIn: Bool,
        _ reader: inout Reader
    ) {
        destinations.check(own.paths, of: task, paths: paths.paths, &reader)
        traits.note(own)
        if let key = own.givenKey, isFilledIn { keys.note(key, of: task) }
    }

    /// Makes the graph of the tasks of a list, once; it tells the rows of `chosen` apart.
    mutating func graph(of tasks: TaskList, chosen: [Need]) -> TaskGraph {
        var builder = TaskGraphBuilder()
        swap(&builder, &needs)
        return builder.graph(of: tasks, chosen: chosen)
    }

    /// Reports the faults that only the graph of all tasks shows.
    mutating func finish(_ graph: TaskGraph, _ reader: inout Reader) {
        let (document, tasks) = (reader.document, reader.values.tasks)
        let cycles = CycleCheck.faults(in: graph) {
            reader.name(of: $0)
        } place: { task in
            let entry = tasks.entry(of: task)
            let needs = document.value(of: entry.value, for: "needs")?.value
            return document.range(of: needs ?? entry.key)
        }
        for fault in cycles { reader.faults.log.add(fault) }
        for fault in captures.faults(in: graph, of: tasks, document) {
            reader.faults.log.add(fault)
        }
        VariableSection.warnOfUnused(&reader)
        for warning in keys.warnings(of: tasks, in: document) { reader.faults.log.add(warning) }
    }
}
