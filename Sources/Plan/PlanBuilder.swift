internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Makes a plan in the order in which its parts depend on each other, collecting faults all the
/// way.
struct PlanBuilder {
    let options: PlanOptions
    let document: Document
    /// The absolute path of the job file.
    let jobPath: String
    var reader: Reader
    var draft = JobDraft()
    var destinations: DestinationCheck
    var dataFiles = DataFiles()
    var mostAttempts = 1
    /// Whether a server names the file of a download.
    var hasServerNames = false
    /// Whether a task forbids interfaces that its session does not.
    var tightensAccess = false
    /// How many idempotency keys the runner makes.
    var orderCount = 0
    var keys = RepeatedKeyCheck()
    /// How many tasks each session has; none without a background session.
    var sessionTasks: [Int] = []
    var taskSecrets = SecretNeeds()
    var captures = CaptureCheck()
    var keptTasks: KeptTasks

    /// Values of secrets by their names, those that a run needs; nil while the job is only looked
    /// at.
    let secrets: [String: KnownSecret]?

    init(document: Document, options: PlanOptions, secrets: [String: KnownSecret]? = nil) {
        self.document = document
        destinations = DestinationCheck(of: TaskList(), in: document)
        self.secrets = secrets
        self.options = options
        // The numbers of tasks are others when some are left out.
        keptTasks = KeptTasks(capacity: options.only.isEmpty ? options.mostKeptTasks : 0)
        jobPath = AbsolutePath.make(document.name, in: options.workingFolder)
        reader = Reader(
            document: document,
            environment: options.environment,
            folder: AbsolutePath.folder(of: jobPath),
            variables: VariableTable(),
            run: options.run,
            fileStatus: options.fileStatus,
            patternFault: options.patternFault
        )
        reader.toleratesEnvironment = options.toleratesEnvironment
    }

    mutating func build() throws(PlanRejected) -> Plan {
        let taskReader = readShared()
        if taskReader.shared.hasBackground {
            sessionTasks = Array(repeating: 0, count: taskReader.shared.sessions.count)
        }
        reader.tasks = listTasks()
        expandTasks()
        let needs = readTasks(taskReader)
        let (chosen, unknown) = chosenTasks()
        let graph = needs.graph(of: reader.tasks, chosen: chosen)
        check(graph)
        warnOfVariables()
        for warning in keys.warnings(of: reader.tasks, in: document) { reader.add(warning) }

        let diagnostics = Self.inFileOrder(reader.diagnostics)
        guard reader.errorCount == 0, unknown.isEmpty, destinations.reportFault == nil else {
            throw PlanRejected(
                diagnostics: diagnostics,
                dataFaults: reader.dataFaults,
                unknownTasks: unknown,
                secretVariables: reader.secrets.variables,
                confidentialValues: reader.confidentialValues,
                reportFault: destinations.reportFault
            )
        }
        let (tasks, chosenGraph) = restrict(graph, to: chosen)
        return Plan(
            name: jobName,
            schedule: draft.schedule,
            reportPaths: draft.report.files.mapValues(\.path),
            finishHook: draft.hooks.finish,
            mostAttempts: mostAttempts,
            orderCount: orderCount,
            sessionTasks: sessionTasks,
            interfaceRules: draft.network.interfaces,
            tightensAccess: tightensAccess,
            reservedPaths: hasServerNames ? destinations.files.map(\.path) : [],
            captureUses: captures.uses(in: tasks) { position(of: $0, in: tasks) },
            warnings: diagnostics,
            neededSecrets: neededSecrets(of: tasks),
            options: options,
            reader: reader.forReading(tasks),
            taskReader: taskReader,
            keptTasks: keptTasks,
            tasks: tasks,
            graph: chosenGraph,
            files: destinations.files
        )
    }

    /// As the job says, or the stem of the file that the job's path leads to: one file has one
    /// name, whatever link names it.
    var jobName: String { draft.name ?? Self.stem(of: options.resolvedPath(document.name)) }

    /// Checks what tasks need of each other.
    private mutating func check(_ graph: TaskGraph) {
        let cycles = CycleCheck.faults(in: graph) {
            reader.name(of: $0)
        } place: { task in
            let entry = reader.tasks.entry(of: task)
            let needs = document.value(of: entry.value, for: "needs")?.value
            return document.range(of: needs ?? entry.key)
        }
        for fault in cycles { reader.add(fault) }
        for fault in captures.faults(in: graph, of: reader.tasks, document) { reader.add(fault) }
    }

    private mutating func warnOfVariables() {
        for name in reader.variables.unused.sorted() {
            let nearest = NearestName.find(name, among: reader.variables.names)
            reader.add(
                Diagnostic(
                    .warning,
                    .unusedVariable,
                    "the variable `\(name)`, which `--var` gives, is not used",
                    at: SourceRange(document.range(of: document.root).start),
                    help: nearest.map { "did you mean `\($0)`?" }
                )
            )
        }
    }

    /// In file order, and each place once: what an anchor holds is read wherever an alias stands.
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

    /// A file's name without folders and its last extension.
    private static func stem(of path: String) -> String {
        let name = path.splitAtBytes("/").last ?? ""
        guard let dot = name.lastByteIndex(of: "."), dot > name.startIndex else {
            return String(name)
        }
        return String(name[..<dot])
    }
}
