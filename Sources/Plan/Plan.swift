package import Diagnostics
internal import JobFile
package import TransferModel

/// A checked job file: its transfers, their order and their settings.
///
/// Tasks are numbered from 0 in file order, those of a `forEach` in the order of its items; the
/// functions take indices below `taskCount`.
package struct Plan: Sendable {
    /// The name that the job gives itself, else the file's stem.
    package let name: String
    /// The top of the job.
    private var draft: JobDraft
    private let traits: JobTraits
    /// The inputs of the plan besides the document.
    let options: PlanOptions
    /// Which tasks must succeed before which.
    package let graph: TaskGraph
    /// Warnings: they do not keep the job from running.
    package let warnings: [Diagnostic]
    /// Ids that `PlanOptions.only` names and no task has.
    package let absentTasks: [String]
    /// The secrets that the tasks use, in the order of the file: a run needs their values.
    package let neededSecrets: [SecretDeclaration]
    /// Reads tasks again.
    private(set) var source: TaskSource

    init(
        _ head: JobHead,
        _ traits: JobTraits,
        graph: TaskGraph,
        warnings: [Diagnostic],
        absentTasks: [String],
        neededSecrets: [SecretDeclaration],
        source: TaskSource
    ) {
        name = head.jobName
        draft = head.draft
        options = head.options
        self.traits = traits
        self.graph = graph
        self.warnings = warnings
        self.absentTasks = absentTasks
        self.neededSecrets = neededSecrets
        self.source = source
    }

    /// The same plan that reads its tasks in another way.
    func with(_ source: TaskSource) -> Plan {
        var plan = self
        plan.source = source
        return plan
    }

    /// The same plan with the hooks of another reading of the job file.
    func with(_ hooks: HooksDraft) -> Plan {
        var plan = self
        plan.draft.hooks = hooks
        return plan
    }

    /// Identifies the job wherever its file lies; nil when its path identifies it.
    package var identifier: String? { draft.identifier }
    /// The job file's name as it was given.
    package var fileName: String { source.reader.document.name }
    /// The absolute path of the job file's folder, where its commands run.
    package var folder: String { source.reader.folder }
    /// At least one; a job that declares none has the implicit `default`.
    package var sessions: [SessionConfiguration] { source.taskReader.shared.sessions }
    /// How the tasks are started.
    package var schedule: ScheduleConfiguration { draft.schedule }
    /// The absolute paths of the reports that the job asks for.
    package var reportPaths: [ReportKind: String] { draft.report.files.mapValues(\.path) }
    /// How much of each task the JSON report keeps.
    package var reportDetail: ReportDetail { draft.report.detail }
    /// The programs to run when a run ends, in their order.
    package var finishHooks: [FinishHook] { draft.hooks.programs }
    /// The server that gets a summary when a run ends; nil without one.
    package var webhook: Webhook? { draft.hooks.webhook }
    /// The job's settings for the machine's interfaces.
    package var interfaceRules: [InterfaceRule] { draft.network.interfaces }
    /// The attempts of the task that may have the most: 1 to 1,000.
    package var mostAttempts: Int { traits.mostAttempts }
    /// How many uploads of the job, chosen or not, want an idempotency key of the runner's making.
    package var orderCount: Int { traits.orderCount }
    /// How many tasks of the job, chosen or not, each of the `sessions` has; none when no session
    /// is a background session.
    package var sessionTasks: [Int] { traits.sessionTasks }
    /// Whether something has to be known of the machine's interfaces before tasks are started.
    package var dependsOnNetwork: Bool {
        traits.tightensAccess || sessions.contains(where: \.dependsOnNetwork)
    }
    /// Whether some task may not use every interface.
    package var forbidsInterfaces: Bool {
        traits.tightensAccess || sessions.contains(where: \.access.isRestricted)
    }
    /// Whether a server, or a captured value, names a file or folder that a task writes.
    package var hasPeerNames: Bool { traits.hasPeerNames }
    /// The most connections that one task may have at once: several with `segments`.
    package var mostConnections: Int { traits.mostConnections }
    /// The uses of captured values by other tasks.
    package var captureUses: CaptureUses { source.captureUses }
    /// The run's id, as `${run.id}` has it.
    package var runIdentifier: String { source.reader.values.run.id }
    /// Diagnostics of the job file as every format shows them.
    package func shown(_ diagnostics: [Diagnostic]) -> FileDiagnostics {
        FileDiagnostics(showing: diagnostics, of: source.reader.document)
    }

    /// How many tasks there are.
    package var taskCount: Int { source.tasks.count }

    /// The id of a task.
    ///
    /// A task of a `forEach` whose data file has changed has the number of its row as its key.
    package func id(of index: Int) -> String {
        var reader = source.reader
        return reader.id(of: index)
    }

    /// The section of a task.
    package func kind(of index: Int) -> TaskSpec.Kind { source.tasks.entry(of: index).kind }

    /// The ids of the tasks that must succeed first, each once; all those of a `forEach` go by its
    /// own.
    package func needs(of index: Int) -> [String] {
        var reader = source.reader
        return graph.targets(of: graph.unit(of: index)).map { reader.name(of: $0) }
    }

    /// Whether the task's failure fails the run.
    package func isRequired(_ index: Int) -> Bool { source.tasks.settings(of: index).isRequired }

    /// From 0 to 1: of two tasks that may start, the task of the higher priority does.
    package func priority(of index: Int) -> Double { source.tasks.settings(of: index).priority }

    /// Reads a task again, every setting resolved and filled in with the values that other tasks
    /// have captured.
    ///
    /// A task that `make` accepted is accepted here, unless a data file has changed in between or a
    /// captured value is not valid in its place.
    package func task(
        at index: Int,
        captured: CapturedValues = [:]
    ) throws(PlanRejected) -> TaskSpec {
        try source.task(at: index, captured: captured)
    }

    /// The known facts about a task before the tasks that it needs have ended.
    package func outline(of index: Int) -> TaskOutline { source.outline(of: index) }
}
