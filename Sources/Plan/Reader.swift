internal import Diagnostics
internal import JobFile
internal import RegexKit
internal import TransferModel

/// Turns values of the document into values of the plan, and collects everything that is wrong with
/// them.
struct Reader {
    /// Whose settings are being read, for messages.
    enum Owner {
        case job
        case defaults
        case secret(NodeID)
        case session(NodeID)
        case task(TaskSpec.Kind, NodeID)
    }

    var document: Document
    let environment: [String: String]
    /// The absolute path of the job file's folder, with a slash at its end.
    let folder: String
    /// Looks at files; nil when a task is read again, which then only makes values.
    let fileStatus: (@Sendable (String) -> PlanOptions.FileStatus)?
    /// Says what is wrong with a pattern; nil when a task is read again.
    let patternFault: (@Sendable (String) -> RegularExpression.Fault?)?
    /// The patterns that were found right: many tasks have the same ones.
    var rightPatterns: Set<String> = []
    var variables: VariableTable
    var secrets = SecretList()
    /// Where secrets stand in the settings of the owner that is being read.
    var secretUses: [SecretUse] = []
    /// Positions of the declared sessions; the empty job's implicit one included.
    var sessions: [String: Int] = [:]
    /// Finds tasks by their ids.
    var tasks = TaskList()
    /// What `${run.…}` stands for.
    let run: RunValues
    /// What `${item…}` stands for; nil outside of tasks with `forEach`.
    var row: Row?
    /// The top-level values of a task that are put off because they depend on its row; nil when
    /// none are.
    var deferred: [DeferredValue]?
    /// Finds the rows of entries by their keys, where somebody has asked for one.
    var keyIndexes: [Int: TextIndex] = [:]
    var owner = Owner.job
    /// Bytes of the values whose expressions were filled in for the task being read, or before the
    /// first one.
    var filledInLength = 0
    /// What tasks have captured so far; nil before the run, when stand-ins take the place of their
    /// values.
    var captured: CapturedValues?
    /// The captures that the task being read refers to, in its order.
    var captureReferences: [CaptureReference] = []
    /// Where parts of the scalar stand whose faults were told last.
    var places: ScalarPlaces?
    /// What each task captures that somebody has asked for, by the task's entry.
    var captureNames: [Int: Set<String>] = [:]
    /// The URL that was read last: the next one most often has its origin.
    var lastURL: HTTPURL?
    /// Whether what is being read is the body that the settings before it describe.
    var isReadingBody = false
    /// Whether the URL, the body or the key of the task being read is another one in every run.
    var isOrderOfRun = false
    /// Whether the setting being read is one that tasks cannot fill in.
    var isNeededBeforeTheRun = false
    /// Bytes of the long ones among them, of all owners.
    var longFilledInLength = 0
    /// The keys of the mappings that are open inside of the owner's.
    private var path: [String] = []
    var log: DiagnosticLog
    /// What nobody may read of the rows that were found wrong.
    var valuesOfRows: [String] = []
    /// Names that unknown ones may still be compared with: an edit distance each, so that hints
    /// stay cheap.
    var comparisonsLeft = mostComparisons
    private static let mostComparisons = 50_000

    init(
        document: Document,
        environment: [String: String],
        folder: String,
        variables: VariableTable,
        run: RunValues,
        fileStatus: (@Sendable (String) -> PlanOptions.FileStatus)?,
        patternFault: (@Sendable (String) -> RegularExpression.Fault?)?
    ) {
        self.document = document
        self.environment = environment
        self.folder = folder
        self.variables = variables
        self.run = run
        self.fileStatus = fileStatus
        self.patternFault = patternFault
        log = DiagnosticLog(showsWarnings: fileStatus != nil)
    }

    /// Forgets what was found and counted, for a reader that reads one task after the other again.
    mutating func forgetFindings() {
        log.forget()
        longFilledInLength = 0
        captureReferences.removeAll()
        comparisonsLeft = Self.mostComparisons
    }

    /// The captures that the task read last refers to, which are forgotten.
    mutating func takeCaptureReferences() -> [CaptureReference] {
        guard !captureReferences.isEmpty else { return [] }
        defer { captureReferences = [] }
        return captureReferences
    }

    /// Keeps what a reader of other tasks, a copy of this one at first, has noted for the whole
    /// job.
    mutating func takeNotes(of other: Reader) {
        variables.unused.formIntersection(other.variables.unused)
        secrets.takeNotes(of: other.secrets)
    }

    /// A reader of the same job that has found nothing yet and never looks at files.
    func forReading(_ tasks: TaskList) -> Reader {
        var reader = Reader(
            document: document,
            environment: environment,
            folder: folder,
            variables: variables,
            run: run,
            fileStatus: nil,
            patternFault: nil
        )
        reader.secrets = secrets
        reader.sessions = sessions
        reader.tasks = tasks
        return reader
    }

    /// Whether the plan is made already, so that the task only becomes a value.
    var isReadingAgain: Bool { fileStatus == nil }

    /// Reads the mapping of a field with a table; its keys are named in messages.
    mutating func apply<Target>(
        _ table: SettingTable<Target>,
        to target: inout Target,
        in field: Field
    ) {
        path.append(field.name)
        apply(table, to: &target, from: field.node, ownedBy: field.key)
        path.removeLast()
    }

    /// Reads a mapping with a table; `key` is where a missing key is reported.
    mutating func apply<Target>(
        _ table: SettingTable<Target>,
        to target: inout Target,
        from mapping: NodeID,
        ownedBy key: NodeID
    ) {
        guard document.kind(of: mapping) == .mapping else {
            let place = context.isEmpty ? "" : "\(context.dropFirst(" in ".count)): "
            let likely = table.shorthand.flatMap { likelyMapping($0, mapping) }
            report(
                .wrongType,
                "\(place)expected a mapping, found \(name(of: mapping))",
                at: mapping,
                help: likely.map { "did you mean `\($0)`?" }
                    ?? indentationHint(table.keys, mapping, key)
            )
            return
        }
        var seen: UInt64 = 0
        for entry in document.entries(of: mapping) {
            guard let position = table.keys.position(of: entry.key, in: document) else {
                reportUnknown(entry.key, in: table.keys)
                continue
            }
            seen |= 1 << UInt64(position)
            let name = table.keys.names[position]
            let field = Field(name: name, key: entry.key, node: entry.value)
            if deferred != nil, path.isEmpty, dependsOnItem(entry.value) {
                deferred?.append(DeferredValue(position: position, field: field))
                continue
            }
            if let read = table.reads[position] {
                read(&target, &self, field)
            } else {
                report(
                    .notYetSupported,
                    "the key `\(name)`\(context) is not supported yet",
                    at: entry.key
                )
            }
        }
        if table.keys.alternatives != 0 { checkAlternatives(table.keys, seen, mapping, key) }
        for (key, partner) in table.keys.partners
        where seen >> UInt64(key) & 1 == 1 && seen >> UInt64(partner) & 1 == 0 {
            reportLonely(table.keys.names[key], without: table.keys.names[partner], in: mapping)
        }
        let missing = table.keys.required & ~seen
        guard missing != 0, !document.hasFaultyMerge(mapping) else { return }
        for (position, description) in table.keys.keys.enumerated()
        where missing >> UInt64(position) & 1 == 1 {
            report(
                .missingKey,
                "the key `\(description.name)`\(context) is required",
                at: key
            )
        }
    }

    /// Reports a key without the one that gives it a meaning.
    private mutating func reportLonely(_ name: String, without other: String, in mapping: NodeID) {
        guard let entry = document.value(of: mapping, for: name) else { return }
        report(
            .conflictingKeys,
            "`\(name)`\(context) is about `\(other)`, which is not there",
            at: entry.key
        )
    }

    /// Checks that exactly one of a table's alternatives is there.
    private mutating func checkAlternatives(
        _ keys: KeyTable,
        _ seen: UInt64,
        _ mapping: NodeID,
        _ key: NodeID
    ) {
        let count = (keys.alternatives & seen).nonzeroBitCount
        guard count != 1 else { return }
        let names = keys.alternativeNames.map { "`\($0)`" }.joined(separator: ", ")
        guard count > 1 else {
            if document.hasFaultyMerge(mapping) { return }
            report(.missingKey, "one of the keys \(names)\(context) is required", at: key)
            return
        }
        let present = document.entries(of: mapping).filter { entry in
            let position = keys.position(of: entry.key, in: document)
            return position.map { keys.alternatives >> UInt64($0) & 1 == 1 } ?? false
        }
        for entry in present.dropFirst() {
            report(
                .conflictingKeys,
                "only one of the keys \(names)\(context) may be there",
                at: entry.key,
                notes: present.first.map {
                    [.init("the first one is here", at: document.range(of: $0.key))]
                }
                    ?? []
            )
        }
    }

    /// Keeps that a value of this run stands in a setting, if that belongs to what makes an order.
    mutating func noteRunValue(_ field: Field) {
        let setting = path.first ?? field.name
        // A header field goes by its own name.
        let isKey = setting.lowercased() == "idempotency-key"
        if isReadingBody || isKey || ["url", "text", "idempotencyKey"].contains(setting) {
            isOrderOfRun = true
        }
    }

    /// Where the current mapping stands, to be put behind what is said of a key.
    var context: String {
        let inner = path.last.map { " in `\($0)`" } ?? ""
        let outer =
            switch owner {
            case .job: ""
            case .defaults: "`defaults`"
            case .secret(let key): "secret `\(document.text(of: key).excerpt)`"
            case .session(let key): "session `\(document.text(of: key).excerpt)`"
            case .task(let kind, let key): "\(kind.rawValue) `\(document.text(of: key).excerpt)`"
            }
        guard !outer.isEmpty else { return inner }
        return inner.isEmpty ? " in \(outer)" : "\(inner) of \(outer)"
    }
}
