internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Reads the tasks of a plan again, each when it starts.
///
/// All but the first `mostKeptTasks` tasks are not kept as values. Until it starts, a task takes a
/// few words of memory, so that memory grows with the running transfers.
///
/// A class: the scheduler asks a plan several times for each task, and each question would copy it.
final class TaskSource: Sendable {
    let tasks: TaskList
    /// With everything resolved that tasks refer to; it never looks at files again.
    let reader: Reader
    let taskReader: TaskReader
    /// The reader and the kept tasks, lent to one reading at a time: no reading costs a copy.
    private let lent: Lock<(reader: Reader, kept: KeptTasks)>
    /// Whether a task may have a `when`.
    private let hasWhen: Bool
    /// Which tasks use captures of which others.
    let captureUses: CaptureUses
    /// Files that no task may write to, described in words.
    let files: [(path: String, words: String)]

    /// The tasks that a reader with resolved values reads, of which some were read already.
    init(
        _ tasks: TaskList,
        reader: Reader,
        taskReader: TaskReader,
        kept: KeptTasks = KeptTasks(capacity: 0),
        captureUses: CaptureUses,
        files: [(path: String, words: String)]
    ) {
        self.tasks = tasks
        self.reader = reader
        self.taskReader = taskReader
        self.captureUses = captureUses
        self.files = files
        hasWhen = reader.document.hasScalar("when")
        lent = Lock((reader, kept))
    }

    /// The same tasks with other shared values.
    func with(_ shared: SharedSettings, _ filled: Reader) -> TaskSource {
        var reader = reader
        reader.values.variables = filled.values.variables
        reader.values.secrets = filled.values.secrets
        return TaskSource(
            tasks,
            reader: reader,
            taskReader: TaskReader(shared: shared),
            captureUses: captureUses,
            files: files
        )
    }

    /// Reads a task with the values that other tasks have captured.
    func task(at index: Int, captured: CapturedValues) throws(PlanRejected) -> TaskSpec {
        try lent.withLock { (lent) throws(PlanRejected) in
            if let task = lent.kept.take(index) { return task }
            lent.reader.forgetFindings()
            return try task(at: index, captured, with: &lent.reader)
        }
    }

    /// The alternatives of a task's `when` whose comparisons hold, with the values that other tasks
    /// have captured.
    func heldAlternatives(of index: Int, captured: CapturedValues) -> AlternativeSet {
        guard hasWhen else { return .all }
        return lent.withLock { lent in
            lent.reader.forgetFindings()
            lent.reader.values.captured = captured
            return taskReader.heldAlternatives(of: index, with: &lent.reader)
        }
    }

    private func task(
        at index: Int,
        _ captured: CapturedValues,
        with reader: inout Reader
    ) throws(PlanRejected) -> TaskSpec {
        do throws(DataRows.Failure) {
            try reader.enterRow(of: index)
        } catch {
            throw PlanRejected(diagnostics: [reader.changedData(of: index, error)])
        }
        reader.values.captured = captured
        let entry = tasks.entry(of: index)
        let id = reader.id(of: index)
        var task: TaskSpec?
        var draft = taskReader.shared.defaults
        if taskReader.read(entry, into: &draft, with: &reader) {
            let assembly = TaskAssembly(shared: taskReader.shared)
            task = assembly.task(index, entry, id: id, draft, with: &reader)
        }
        if let path = task?.destination?.path, !captureUses.sources(of: index).isEmpty {
            check(AbsolutePath.withoutClimbs(path), of: entry, with: &reader)
        }
        guard let task, !reader.faults.log.hasErrors else {
            let source = reader.document.source
            throw PlanRejected(
                diagnostics: reader.faults.log.diagnostics.map { fault in
                    // The message of the failure ends with the file.
                    let line = fault.range.start.line
                    return fault.moved(by: source.place(ofLine: line).line - line)
                }
            )
        }
        return task
    }

    /// Reports a destination that was made of captured values and is one of the job's own files.
    private func check(_ path: String, of entry: TaskList.Entry, with reader: inout Reader) {
        guard let file = files.first(where: { $0.path == path }) else { return }
        reader.report(.duplicateDestination, "the destination is \(file.words)", at: entry.key)
    }

    /// The known facts about a task before the tasks that it needs have ended.
    func outline(of index: Int) -> TaskOutline {
        var reader = reader
        try? reader.enterRow(of: index)
        let entry = tasks.entry(of: index)
        var draft = taskReader.shared.defaults
        // Its faults were reported when the plan was made.
        _ = taskReader.read(entry, into: &draft, with: &reader)
        let document = reader.document
        let url = document.value(of: entry.value, for: "url").flatMap { found in
            reader.shownURL(Field(name: "url", key: found.key, node: found.value))
                ?? document.text(of: found.value)
        }
        return TaskOutline(
            session: draft.session,
            method: draft.method ?? TaskAssembly.usualMethod(entry.kind),
            url: url ?? draft.stream.address ?? "",
            description: draft.description,
            earliestBeginDate: draft.earliestBeginDate,
            source: document.location(of: entry.key)
        )
    }

    /// Reads the settings of the tasks of some kinds, one task after another.
    func forEachDraft(
        where isWanted: (TaskSpec.Kind) -> Bool = { _ in true },
        _ body: (Int, TaskDraft) -> Void
    ) {
        var reader = reader
        for index in 0..<tasks.count {
            guard isWanted(tasks.entry(of: index).kind) else { continue }
            reader.forgetFindings()
            // A lost row fails its task when that starts.
            if let draft = taskReader.draft(of: index, with: &reader) { body(index, draft) }
        }
    }
}

/// The first tasks of a plan as values, each until it is started: a usual job is read once and not
/// twice.
struct KeptTasks {
    /// By their numbers.
    private var tasks: [TaskSpec?] = []
    /// Tasks of this number and above are not kept.
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Keeps a task of a higher number than the tasks before; there is room for it.
    mutating func keep(_ task: TaskSpec) {
        while tasks.count < task.index { tasks.append(nil) }
        tasks.append(task)
    }

    /// The task of that number, which is no longer kept; nil when it was not.
    mutating func take(_ number: Int) -> TaskSpec? {
        guard tasks.indices.contains(number) else { return nil }
        return tasks[number].take()
    }
}
