internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Makes a plan in the order in which its parts depend on each other, collecting faults all the way.
struct PlanBuilder {
    let options: PlanOptions
    let document: Document
    /// The absolute path of the job file.
    let jobPath: String
    var reader: Reader
    private(set) var draft = JobDraft()
    var destinations = DestinationIndex(capacity: 0)
    /// The data files that were gone through, by format and path.
    var dataFiles: [String: DataRows] = [:]
    /// The absolute paths of the data files.
    var dataPaths: [String] = []
    private var mostAttempts = 1
    /// Whether a server names the file of a download.
    private var hasServerNames = false
    /// Whether a task forbids interfaces that its session does not.
    private var tightensAccess = false
    var keys = IdempotencyKeys()
    /// How many tasks each session has; none without a background session.
    private var sessionTasks: [Int] = []
    /// The secrets of the tasks that have any, by their entries, in file order.
    var taskSecrets: [(entry: Int, secrets: SecretSet)] = []
    var captureUses = CaptureUses()
    /// Where the captures stand that tasks do not need themselves, so that another that they need must.
    var distantCaptures: [(user: Int, reference: CaptureReference)] = []
    /// What is wrong with the path of `--report`.
    var reportFault: String?
    private var keptTasks: KeptTasks
    /// The entries whose needs could not be read.
    var entriesOfUnknownNeeds: [Int] = []

    /// Values of secrets by their names, those that a run needs; nil while the job is only looked at.
    let secrets: [String: KnownSecret]?

    init(document: Document, options: PlanOptions, secrets: [String: KnownSecret]? = nil) {
        self.document = document
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
    }

    mutating func build() throws(PlanRejected) -> Plan {
        let taskReader = readShared()
        if taskReader.hasBackground {
            sessionTasks = Array(repeating: 0, count: taskReader.sessions.count)
        }
        reader.tasks = listTasks()
        expandTasks()
        let needs = readTasks(taskReader)
        let (chosen, unknown) = chosenTasks()
        let graph = needs.graph(of: reader.tasks, chosen: chosen)
        reportCycles(in: graph)
        reportMissingNeeds(in: graph)
        warnOfVariables()
        warnOfRepeatedKeys()

        let diagnostics = Self.inFileOrder(reader.diagnostics)
        guard reader.errorCount == 0, unknown.isEmpty, reportFault == nil else {
            throw PlanRejected(
                diagnostics: diagnostics,
                dataFaults: reader.dataFaults,
                unknownTasks: unknown,
                secretVariables: reader.secrets.variables,
                reportFault: reportFault
            )
        }
        let (tasks, chosenGraph) = restrict(graph, to: chosen)
        return Plan(
            name: jobName,
            schedule: draft.schedule,
            reportPath: draft.report.json?.path,
            finishHook: draft.hooks.finish,
            mostAttempts: mostAttempts,
            orderCount: keys.madeCount,
            sessionTasks: sessionTasks,
            interfaceRules: draft.network.interfaces,
            tightensAccess: tightensAccess,
            reservedPaths: hasServerNames ? destinations.filePaths : [],
            captureUses: captureUses(of: tasks),
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

    /// As the job says, or the file's stem.
    var jobName: String { draft.name ?? Self.stem(of: document.name) }

    /// Reads what the tasks share: all but them.
    mutating func readShared() -> TaskReader {
        readTop()
        return readSettings()
    }

    /// Reads what stands at the top, its sections not looked into but for `schedule` and `report`.
    mutating func readTop() {
        declareVariables()
        declareSecrets()
        // Before the variables: none may be filled in with what a secret is.
        defineSecrets()
        reader.forgetVariablesOfSecrets()
        reader.resolveVariables()
        reader.apply(JobTable.table, to: &draft, from: document.root, ownedBy: document.root)
        if let field = draft.secrets { _ = reader.isMapping(field) }
    }

    /// Notes the variables of the file and of the options, none of them resolved.
    private mutating func declareVariables() {
        for (name, text) in options.variables {
            let value = ScalarValue(text: text, type: Scalar(plain: text), isFilledIn: true)
            reader.variables.states[name] = .value(value)
            reader.variables.unused.insert(name)
        }
        guard let (key, node) = document.value(of: document.root, for: "variables"),
            reader.isMapping(Field(name: "variables", key: key, node: node))
        else { return }
        for entry in document.entries(of: node) where !reader.isFree(entry.key) {
            declareVariable(document.text(of: entry.key), entry.key, entry.value)
        }
    }

    private mutating func declareVariable(_ name: String, _ key: NodeID, _ node: NodeID) {
        guard Expression.isVariableName(name) else {
            reader.report(
                .badID,
                "`\(name)` is not a variable name",
                at: key,
                help: "a name has letters, digits, `_` and `-`, and does not begin with a digit"
            )
            return
        }
        reader.variables.unused.remove(name)
        guard case .value(var given)? = reader.variables.states[name] else {
            reader.variables.names.append(name)
            reader.variables.states[name] = .pending(Field(name: name, key: key, node: node))
            return
        }
        // Declared as a string, it stays one: `--var id=00123` and `--var id=123` are both text.
        if document.kind(of: node) == .scalar, document.scalar(of: node) == .string {
            given.type = .string
            reader.variables.states[name] = .value(given)
        }
    }

    /// Each has connections of its own, and a copy of what `defaults` say.
    private static let mostSessions = 1000

    /// Reads `defaults` and `sessions`.
    private mutating func readSettings() -> TaskReader {
        var defaults = DefaultsDraft()
        if let field = draft.defaults {
            reader.owner = .defaults
            reader.apply(DefaultsTable.table, to: &defaults, from: field.node, ownedBy: field.key)
        }
        let shared = reader.takeSecretUses()
        var sessions: [SessionConfiguration] = []
        var secrets: [[SecretUse]] = []
        var identifiers: [String: NodeID] = [:]
        if let field = draft.sessions, reader.isMapping(field) {
            for entry in document.entries(of: field.node) where !reader.isFree(entry.key) {
                checkID(entry.key, "session name")
                reader.owner = .session(entry.key)
                var session = defaults.session
                session.name = document.text(of: entry.key)
                reader.apply(
                    SessionTable.table,
                    to: &session,
                    from: entry.value,
                    ownedBy: entry.key
                )
                checkIdentifier(of: session, entry, &identifiers)
                guard sessions.count < Self.mostSessions else {
                    reader.report(
                        .outOfRange,
                        "a job may have at most \(Self.mostSessions) sessions",
                        at: entry.key
                    )
                    break
                }
                reader.checkMultipath(of: session, entry.value)
                reader.sessions[session.name] = sessions.count
                sessions.append(session)
                let inherited = shared.filter { $0.stands(in: session, as: defaults.session) }
                secrets.append(reader.takeSecretUses() + inherited)
            }
        }
        if sessions.isEmpty {
            sessions = [defaults.session]
            secrets = [shared]
            reader.sessions[defaults.session.name] = 0
        }
        reader.owner = .job
        return TaskReader(sessions: sessions, defaults: defaults.task, sessionSecrets: secrets)
    }

    private mutating func checkID(_ key: NodeID, _ what: String) {
        guard !document.withBytes(of: key, TaskID.isValid) else { return }
        reader.report(
            .badID,
            "`\(document.text(of: key))` is not a \(what)",
            at: key,
            help: "it has letters, digits, `.`, `_` and `-`, and begins with a letter or digit"
        )
    }

    /// Finds the tasks of all sections, checks their ids, and makes them findable.
    private mutating func listTasks() -> TaskList {
        var entries: [TaskList.Entry] = []
        entries.reserveCapacity(
            draft.sections.reduce(0) { $0 + document.count(of: $1.field.node) }
        )
        for section in draft.sections where reader.isMapping(section.field) {
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

    /// Two sections may not use one id; within a section that is a key that stands twice, a fault of the YAML.
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
    private mutating func readTasks(_ taskReader: TaskReader) -> TaskGraphBuilder {
        var needs = TaskGraphBuilder()
        let count = reader.tasks.entries.count
        needs.reserveCapacity(count)
        listFiles(of: taskReader.sessions)
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
            note(task.captureReferences, of: entry, needs: task.needs)
        }
        guard let traits = task.traits else {
            let place = reader.tasks.entries[entry].value
            if task.needs.isEmpty, document.value(of: place, for: "needs") != nil {
                entriesOfUnknownNeeds.append(entry)
            }
            return
        }
        if !traits.secrets.isEmpty { taskSecrets.append((entry, traits.secrets)) }
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
        checkPaths(traits.paths, of: task, paths: paths)
        if traits.hasServerName { hasServerNames = true }
        if traits.tightensAccess { tightensAccess = true }
        keys.note(traits, of: task, isFilledIn: isFilledIn)
        if !sessionTasks.isEmpty, let session = traits.session { sessionTasks[session] += 1 }
        mostAttempts = max(mostAttempts, traits.attempts)
    }

    /// The tasks of `--only`, none for all; and those of its ids that no task has.
    private mutating func chosenTasks() -> (tasks: [Need], unknown: [PlanRejected.UnknownTask]) {
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
    private func restrict(_ graph: TaskGraph, to chosen: [Need]) -> (TaskList, TaskGraph) {
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
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return String(name) }
        return String(name[..<dot])
    }
}
