package import Diagnostics
internal import JobFile
internal import SystemKit
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
    /// A warning when one shard gets more than half of the job; nil without one.
    package let shardWarning: String?
    /// Ids that `PlanOptions.only` names and no task has.
    package let absentTasks: [String]
    /// The secrets that the tasks use, in the order of the file: a run needs their values.
    package let neededSecrets: [SecretDeclaration]
    /// Reads tasks again.
    private(set) var source: TaskSource
    /// How the run uses a lock file; nil without one.
    var lock: PlanLock?

    init(
        _ head: JobHead,
        _ traits: JobTraits,
        graph: TaskGraph,
        warnings: [Diagnostic],
        shardWarning: String?,
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
        self.shardWarning = shardWarning
        self.absentTasks = absentTasks
        self.neededSecrets = neededSecrets
        self.source = source
    }

    /// The same plan with another source of its tasks.
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
    /// The part of the job that the plan covers; nil for the whole job.
    package var shard: Shard? { options.shard }
    /// How many uploads of the job or of its shard, chosen or not, want an idempotency key that the
    /// runner makes.
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
    /// Whether tasks replace only what the job itself wrote: files under names of peers, and
    /// folders of archives.
    package var replacesOwnFiles: Bool { traits.hasPeerNames || traits.replacesOwnFolders }
    /// The most connections that one task may have at once: several with `segments`.
    package var mostConnections: Int { traits.mostConnections }
    /// The uses of captured values by other tasks.
    package var captureUses: CaptureUses { source.captureUses }
    /// The run's id, as `${run.id}` has it.
    package var runIdentifier: String { source.reader.values.run.id }
    /// Diagnostics of the job as every format shows them, file by file.
    package func shown(_ diagnostics: [Diagnostic]) -> [FileDiagnostics] {
        FileDiagnostics(showing: diagnostics, of: source.reader.document).byFile
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

    /// The ids of the tasks that must succeed first, each once; the id of a `forEach` represents
    /// all its tasks.
    package func needs(of index: Int) -> [String] {
        var reader = source.reader
        return graph.targets(of: graph.unit(of: index)).map { reader.name(of: $0) }
    }

    /// Whether the task's failure fails the run.
    package func isRequired(_ index: Int) -> Bool { source.tasks.settings(of: index).isRequired }

    /// From 0 to 1: of two tasks that may start, the task with the higher priority starts first.
    package func priority(of index: Int) -> Double { source.tasks.settings(of: index).priority }

    /// Reads a task again, every setting resolved and filled in with the values that other tasks
    /// have captured.
    ///
    /// A task that `make` accepted is accepted here, unless a data file has changed in between, a
    /// captured value is not valid in its place, or the lock file lacks it.
    package func task(
        at index: Int,
        captured: CapturedValues = [:]
    ) throws(PlanRejected) -> TaskSpec {
        try applyingLock(to: source.task(at: index, captured: captured))
    }

    /// The alternatives of a task's `when` whose comparisons hold, with the values that other tasks
    /// have captured; all for a task without `when`.
    package func heldAlternatives(of index: Int, captured: CapturedValues) -> AlternativeSet {
        source.heldAlternatives(of: index, captured: captured)
    }

    /// The known facts about a task before the tasks that it needs have ended.
    package func outline(of index: Int) -> TaskOutline { source.outline(of: index) }
}

extension Plan {
    /// All secrets of the job, in the order of the file, including secrets that no task of this run
    /// uses.
    package var declaredSecrets: [SecretDeclaration] {
        source.reader.values.secrets.declarations.compactMap { $0 }
    }

    /// The passwords of the proxies that the job names: nothing may show them.
    package var proxyPasswords: [Secret] {
        sessions.compactMap(\.proxy.servers).flatMap { servers in
            ProxyServers.Slot.allCases.compactMap { servers[$0]?.credentials?.password }
        }
    }

    /// The variables of the environment that have values of the job's secrets, whether or not a
    /// task uses them.
    package var secretVariables: Set<String> { source.reader.values.secrets.variables }

    /// The same plan with the values of its secrets in place.
    ///
    /// - Parameters:
    ///   - values: The values of `neededSecrets` by their names.
    ///   - finder: Makes the finder of a secret in captured texts.
    /// - Returns: The plan to be run; one without secrets is itself.
    /// - Throws: The faults of values: control characters in a value for a header field, or text
    ///   that a URL must not have.
    package func with(
        _ values: [String: Secret],
        finder: (Secret) -> SecretFinder
    ) throws(PlanRejected) -> Plan {
        guard !source.reader.values.secrets.isEmpty else { return self }
        let unfit = neededSecrets.compactMap { secret in
            values[secret.name]?.withText { reasonAgainst($0, as: secret.name) }
                .map { secret.missing($0) }
        }
        guard unfit.isEmpty else { throw PlanRejected(diagnostics: unfit) }
        // Variables and sessions may hold secrets: they are read again, the tasks only when they
        // are started.
        let (head, headReader) = JobHead.read(
            source.reader.document,
            options,
            secrets: values.mapValues { KnownSecret(value: $0, find: finder($0)) }
        )
        var reader = headReader
        let shared = SharedSettings(of: head, with: &reader)
        guard !reader.faults.log.hasErrors else {
            throw PlanRejected(diagnostics: reader.faults.log.diagnostics)
        }
        return with(source.with(shared, reader)).with(head.draft.hooks)
    }

    /// Why a value cannot be used where the job has the secret with that name; continues "the
    /// secret `name` ".
    private func reasonAgainst(_ value: String, as name: String) -> String? {
        guard let position = source.reader.values.secrets.names.firstIndex(of: name) else {
            return nil
        }
        if source.reader.values.secrets.inHeaders.contains(position) {
            do {
                try HeaderRule.checkValue(value)
            } catch {
                return "is not valid in a header: \(error.message)"
            }
        }
        if source.reader.values.secrets.inURLs.contains(position),
            value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        {
            return "is not valid in a URL: it has a control character"
        }
        return nil
    }
}

/// The files of a run: neither a server nor a captured value may name one of them.
extension Plan {
    /// The folders in which servers name files, each once; nil when a captured value leads to one.
    package func foldersOfServerNames() -> Set<String>? {
        var folders: Set<String> = []
        var areKnown = true
        source.forEachDraft { _, draft in
            if draft.writesToCapturedPath { areKnown = false }
            guard let destination = draft.destination, destination.isFolder else { return }
            folders.insert(destination.path)
        }
        return areKnown ? folders : nil
    }

    /// Names every path that the run reads, runs, sends or writes, in the order of their rights.
    ///
    /// The job may write to a file that it also runs or reads elsewhere, if it names the file: so
    /// the tasks' destinations precede such files. A destination of captured values is not known
    /// yet and is skipped.
    package func forEachPlannedPath(_ body: (PlannedPath) -> Void) {
        for path in source.files.map(\.path) { body(PlannedPath(path, .ofTheRun)) }
        var commands: Set<[String]> = []
        var signatures: Set<String> = []
        source.forEachDraft { task, draft in
            if let signature = draft.signature {
                signatures.formUnion(signature.files.map(\.path.path))
            }
            if let destination = draft.destination, !destination.isKnownLater {
                body(PlannedPath(destination.path, .destination(of: task)))
            }
            // Not even the task's own server may give a file this name.
            if let folder = draft.archive?.folder, !folder.isKnownLater {
                body(PlannedPath(folder.path, .ofTheRun))
            }
            for path in draft.sentFiles { body(PlannedPath(path, .ofTheRun)) }
            if case .stream(let stream)? = draft.body, case .command(let words)? = stream.source {
                commands.insert(words)
            }
        }
        let words = (Array(commands) + commandsOfTheRun).joined()
        let run = words.flatMap { CommandFiles.paths(of: $0, in: folder) }
        for path in inputsOfTheRun + signatures + run { body(PlannedPath(path, .ofTheRun)) }
    }

    /// The commands of hooks, secrets and custom schemes.
    private var commandsOfTheRun: [[String]] {
        let secrets: [[String]] = neededSecrets.compactMap {
            if case .command(let words, _) = $0.source { words } else { nil }
        }
        return finishHooks.map(\.arguments) + secrets
            + sessions.flatMap { $0.protocolPrograms.map(\.command) }
    }

    /// The files of secrets, logins, proxy scripts and bodies.
    private var inputsOfTheRun: [String] {
        var paths = source.reader.templates.paths
        for case .file(let path, _) in neededSecrets.map(\.source) { paths.append(path) }
        for session in sessions {
            if case .file(let path, _)? = session.proxy.servers?.script { paths.append(path) }
            for case .netrc(let path) in session.credentials.map(\.proof) { paths.append(path) }
        }
        return paths
    }
}

extension TaskDraft {
    /// The files that the task sends.
    fileprivate var sentFiles: [String] {
        var paths = webSocket.files + stream.files
        switch body {
        case .file(let path): paths.append(path)
        case .multipart(let parts):
            for case .file(let path)? in parts.map(\.content) { paths.append(path) }
        case .stream(let stream):
            if case .pipe(let path)? = stream.source { paths.append(path) }
        default: break
        }
        return paths
    }
}

/// The files that a command may run or read, as far as its arguments name them.
enum CommandFiles {
    /// Bytes between the words of a shell's text, or in front of the value of an option.
    private static let separators = Array(" \t\n'\"`;&|()<>=,:$".utf8)

    /// The paths that an argument of a command may name; most of them do not exist.
    ///
    /// They are the whole argument, and each part of a shell's text or of an option such as
    /// `--config=job.ini`.
    static func paths(of word: String, in folder: String) -> [String] {
        let parts = word.utf8.split(whereSeparator: separators.contains)
        return ([word] + (parts.count > 1 ? parts.map { String(Substring($0)) } : []))
            .filter { !$0.isEmpty }
            .map { AbsolutePath.withoutClimbs(AbsolutePath.make($0, in: folder)) }
    }
}
