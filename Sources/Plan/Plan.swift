package import Diagnostics
package import JobFile
internal import SystemKit
package import TransferModel

/// A job file that was found right: what is transferred, in which order and how.
///
/// All but the first `mostKeptTasks` tasks are not kept as values. `make` reads each once and drops
/// it again; `task(at:)` reads it a second time when it is started. Between the two a task costs a
/// few words, so that memory grows with the transfers in flight.
package struct Plan: Sendable {
    /// As the job says, or the file's stem.
    package let name: String
    /// The job file's name as it was given.
    package var fileName: String { reader.document.name }
    /// The absolute path of the job file's folder, where its commands run.
    package var folder: String { reader.folder }
    /// At least one; a job that declares none has the implicit `default`.
    package var sessions: [SessionConfiguration] { taskReader.shared.sessions }
    /// How the tasks are started.
    package let schedule: ScheduleConfiguration
    /// The parts of the job file that are redacted where it is shown.
    package var confidentialText: ConfidentialText {
        ConfidentialText(of: reader.document, and: reader.confidentialValues)
    }
    /// The absolute paths of the reports that the job asks for.
    package let reportPaths: [ReportKind: String]
    /// The hooks to notify when a run ends; nil without any.
    package let finishHook: FinishHook?
    /// The attempts of the task that may have the most: 1 to 1,000.
    package let mostAttempts: Int
    /// How many uploads of the job, chosen or not, want an idempotency key of the runner's making.
    package let orderCount: Int
    /// How many tasks of the job, chosen or not, each of the `sessions` has; none when no session
    /// is a background session.
    package let sessionTasks: [Int]
    /// The job's settings for the machine's interfaces.
    package let interfaceRules: [InterfaceRule]
    /// Whether something has to be known of the machine's interfaces before tasks are started.
    package var dependsOnNetwork: Bool {
        tightensAccess || sessions.contains(where: \.dependsOnNetwork)
    }
    /// Whether some task may not use every interface.
    package var forbidsInterfaces: Bool {
        tightensAccess || sessions.contains(where: \.access.isRestricted)
    }
    private let tightensAccess: Bool
    /// Absolute paths of files that no server may name a download like; empty when no server names
    /// one.
    package let reservedPaths: [String]
    /// Which tasks are filled in with what others capture.
    package let captureUses: CaptureUses
    /// Warnings: they do not keep the job from running.
    package let warnings: [Diagnostic]

    /// The secrets that the tasks use, in the order of the file: a run needs their values.
    package let neededSecrets: [SecretDeclaration]

    /// The inputs of the plan besides the document.
    let options: PlanOptions
    /// With everything resolved that tasks refer to; it never looks at files again.
    private(set) var reader: Reader
    private(set) var taskReader: TaskReader
    /// What tasks are read with again, and those that need not be: lent to one reading at a time,
    /// so that none costs a copy.
    private var lent: Lock<(reader: Reader, kept: KeptTasks)>
    let tasks: TaskList
    /// Which tasks must succeed before which.
    package let graph: TaskGraph
    /// Files that no task may write to, described in words.
    let files: [(path: String, words: String)]

    init(
        name: String,
        schedule: ScheduleConfiguration,
        reportPaths: [ReportKind: String],
        finishHook: FinishHook?,
        mostAttempts: Int,
        orderCount: Int,
        sessionTasks: [Int],
        interfaceRules: [InterfaceRule],
        tightensAccess: Bool,
        reservedPaths: [String],
        captureUses: CaptureUses,
        warnings: [Diagnostic],
        neededSecrets: [SecretDeclaration],
        options: PlanOptions,
        reader: Reader,
        taskReader: TaskReader,
        keptTasks: KeptTasks,
        tasks: TaskList,
        graph: TaskGraph,
        files: [(path: String, words: String)]
    ) {
        self.name = name
        self.schedule = schedule
        self.reportPaths = reportPaths
        self.finishHook = finishHook
        self.mostAttempts = mostAttempts
        self.orderCount = orderCount
        self.sessionTasks = sessionTasks
        self.interfaceRules = interfaceRules
        self.tightensAccess = tightensAccess
        self.reservedPaths = reservedPaths
        self.captureUses = captureUses
        self.warnings = warnings
        self.neededSecrets = neededSecrets
        self.options = options
        self.reader = reader
        self.taskReader = taskReader
        lent = Lock((reader, keptTasks))
        self.tasks = tasks
        self.graph = graph
        self.files = files
    }

    /// Checks a document from its first key to its last, and plans it when nothing is wrong.
    ///
    /// All faults are found in one go. Nothing is read or written but what `options` look at.
    package static func make(
        from document: Document,
        options: PlanOptions
    ) throws(PlanRejected) -> Plan {
        var builder = PlanBuilder(document: document, options: options)
        return try builder.build()
    }

    /// The same plan with other shared values to read its tasks with.
    func with(
        _ variables: VariableTable,
        _ secrets: SecretList,
        _ taskReader: TaskReader
    ) -> Plan {
        var plan = self
        plan.reader.variables = variables
        plan.reader.secrets = secrets
        plan.taskReader = taskReader
        plan.lent = Lock((plan.reader, KeptTasks(capacity: 0)))
        return plan
    }

    /// Tasks are numbered from 0 in file order, those of a `forEach` in the order of its items.
    package var taskCount: Int { tasks.count }

    /// The id of a task; indices are those below `taskCount` here and in what follows.
    ///
    /// A task of a `forEach` whose data file has changed cannot be named any more but by the number
    /// of its row.
    package func id(of index: Int) -> String {
        var reader = reader
        return reader.id(of: index)
    }

    /// The section that a task stands in.
    package func kind(of index: Int) -> TaskSpec.Kind { tasks.entry(of: index).kind }

    /// The ids of the tasks that must succeed first, each once; all those of a `forEach` go by its
    /// own.
    package func needs(of index: Int) -> [String] {
        var reader = reader
        return graph.targets(of: graph.unit(of: index)).map { reader.name(of: $0) }
    }

    /// Whether the task's failure fails the run.
    package func isRequired(_ index: Int) -> Bool { tasks.settings(of: index).isRequired }

    /// From 0 to 1: of two tasks that may start, the one of the higher priority does.
    package func priority(of index: Int) -> Double { tasks.settings(of: index).priority }

    /// The run's id, as `${run.id}` has it.
    package var runIdentifier: String { reader.run.id }

    /// Reads a task again, every setting resolved and filled in with what other tasks have
    /// captured.
    ///
    /// What `make` accepted is accepted here, unless a data file has changed in between or a
    /// captured value does not fit where it stands.
    package func task(
        at index: Int,
        captured: CapturedValues = [:]
    ) throws(PlanRejected) -> TaskSpec {
        try lent.withLock { (lent) throws(PlanRejected) in
            if let task = lent.kept.take(index) { return task }
            lent.reader.forgetFindings()
            return try task(at: index, captured, with: &lent.reader)
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
        reader.captured = captured
        let entry = tasks.entry(of: index)
        let id = reader.id(of: index)
        var draft = taskReader.shared.defaults
        let task =
            taskReader.read(entry, into: &draft, with: &reader)
            ? TaskAssembly(shared: taskReader.shared).task(
                index,
                entry,
                id: id,
                draft,
                with: &reader
            )
            : nil
        if let path = task?.destination?.path, !captureUses.sources(of: index).isEmpty {
            check(AbsolutePath.withoutClimbs(path), of: entry, with: &reader)
        }
        guard let task, reader.errorCount == 0 else {
            throw PlanRejected(diagnostics: reader.diagnostics)
        }
        return task
    }

    /// What is known of a task before those that it needs have ended.
    package func outline(of index: Int) -> TaskOutline {
        var reader = reader
        try? reader.enterRow(of: index)
        let entry = tasks.entry(of: index)
        // Its faults were found before.
        var draft = taskReader.shared.defaults
        _ = taskReader.read(entry, into: &draft, with: &reader)
        let document = reader.document
        let url = document.value(of: entry.value, for: "url").flatMap { found in
            reader.shownURL(Field(name: "url", key: found.key, node: found.value))
                ?? document.text(of: found.value)
        }
        return TaskOutline(
            session: draft.session,
            method: draft.method ?? TaskAssembly.usualMethod(entry.kind),
            url: url ?? "",
            description: draft.description,
            source: TaskAssembly.source(entry, in: document)
        )
    }

    /// Reports a destination that was made of captured values and is one of the job's own files.
    private func check(_ path: String, of entry: TaskList.Entry, with reader: inout Reader) {
        guard let file = files.first(where: { $0.path == path }) else { return }
        reader.report(.duplicateDestination, "the destination is \(file.words)", at: entry.key)
    }
}
