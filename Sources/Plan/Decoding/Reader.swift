internal import Diagnostics
internal import JobFile
internal import RegexKit
internal import TransferModel

/// Turns values of the document into values of the plan, and collects their faults.
struct Reader {
    let document: Document
    var faults: FaultReporter
    var values: Interpolator
    /// The absolute path of the job file's folder, with a slash at its end.
    let folder: String
    /// Looks at files; nil when a task is read again, which then only makes values.
    let fileStatus: (@Sendable (String) -> PlanOptions.FileStatus)?
    /// Finds the fault of a pattern; nil when a task is read again.
    let patternFault: (@Sendable (String) -> RegularExpressionFault?)?
    /// The patterns that were found right: many tasks have the same ones.
    var rightPatterns: Set<String> = []
    /// The places of secrets in the settings of the current owner.
    var secretUses: [SecretUse] = []
    /// Positions of the declared sessions; the empty job's implicit one included.
    var sessions: [String: Int] = [:]
    /// The schemes that programs of any session serve.
    var customSchemes: Set<String> = []
    /// The top-level values of a task that depend on its row, which are read later; nil while
    /// everything is read at once.
    private var deferred: [DeferredValue]?
    /// Whether an earlier row of the same `forEach` had no finding: then the texts of its URLs and
    /// paths in the job file, which all rows have, are right.
    var hasCheckedTexts = false
    /// The files that bodies are made of.
    var templates = TemplateFiles { _ in nil }
    /// Finds the rows of entries by their keys, for the entries that were looked up.
    var keyIndexes: [Int: TextIndex] = [:]
    /// The URL that was read last: the next one most often has its origin.
    var lastURL: TransferURL?

    init(
        document: Document,
        values: Interpolator,
        folder: String,
        fileStatus: (@Sendable (String) -> PlanOptions.FileStatus)?,
        patternFault: (@Sendable (String) -> RegularExpressionFault?)?
    ) {
        self.document = document
        faults = FaultReporter(document, DiagnosticLog(showsWarnings: fileStatus != nil))
        self.values = values
        self.folder = folder
        self.fileStatus = fileStatus
        self.patternFault = patternFault
    }

    /// The open mapping in words, which messages put after the name of a key.
    var context: String { faults.context }

    /// Forgets the findings and counts of the tasks read so far.
    mutating func forgetFindings() {
        faults.forget()
        values.forgetFindings()
    }

    /// The captures that the task read last refers to, which are forgotten.
    mutating func takeCaptureReferences() -> [CaptureReference] {
        guard !values.captureReferences.isEmpty else { return [] }
        defer { values.captureReferences = [] }
        return values.captureReferences
    }

    /// A reader of the same job that has found nothing yet and never looks at files.
    func forReading(_ tasks: TaskList) -> Reader {
        var reader = Reader(
            document: document,
            values: values.forReading(tasks),
            folder: folder,
            fileStatus: nil,
            patternFault: nil
        )
        reader.sessions = sessions
        reader.customSchemes = customSchemes
        reader.templates = templates
        return reader
    }

    /// Whether the plan is made already, so that the task only becomes a value.
    var isReadingAgain: Bool { fileStatus == nil }

    /// Reads with a closure while a mode of the interpolator has another value.
    @inline(__always)
    mutating func with<Mode, Value>(
        _ mode: WritableKeyPath<Interpolator, Mode>,
        _ value: Mode,
        _ read: (inout Reader) -> Value
    ) -> Value {
        let outer = values[keyPath: mode]
        values[keyPath: mode] = value
        defer { values[keyPath: mode] = outer }
        return read(&self)
    }

    /// Reads values that decide which tasks there are, and what their ids are.
    mutating func namingTasks<Value>(_ read: (inout Reader) -> Value) -> Value {
        with(\.isNamingTasks, true) { $0.with(\.isNeededBeforeTheRun, true, read) }
    }

    /// Reads settings, and defers the top-level settings of the owner's mapping that depend on a
    /// row.
    mutating func deferringRowValues(_ read: (inout Reader) -> Void) -> [DeferredValue] {
        (deferred, values.expectsRow) = ([], true)
        defer { (deferred, values.expectsRow) = (nil, false) }
        read(&self)
        return deferred ?? []
    }

    /// The value that a closure makes; nil also when the closure has reported an error.
    mutating func ifFaultless<Value>(_ make: (inout Reader) -> Value?) -> Value? {
        let errors = faults.log.errorCount
        let value = make(&self)
        return faults.log.errorCount == errors ? value : nil
    }

    /// Whether a closure reports no error.
    mutating func isFaultless(_ read: (inout Reader) -> Void) -> Bool {
        ifFaultless { read(&$0) } != nil
    }

    /// The value that a table makes of `empty` and the mapping of a field; nil after a fault.
    mutating func value<Target>(
        _ empty: Target,
        with table: SettingTable<Target>,
        in field: Field
    ) -> Target? {
        ifFaultless { reader in
            var target = empty
            reader.apply(table, to: &target, in: field)
            return target
        }
    }

    /// Reads the mapping of a field with a table; its keys are named in messages.
    mutating func apply<Target>(
        _ table: SettingTable<Target>,
        to target: inout Target,
        in field: Field
    ) {
        if let position = shortForm(of: table.keys, field.node) {
            return table.reads[position](&target, &self, field)
        }
        faults.open(field.name)
        apply(table, to: &target, from: field.node, ownedBy: field.key)
        faults.close()
    }

    /// The position of the key that a value sets when it replaces a table's mapping.
    private func shortForm(of keys: KeyTable, _ node: NodeID) -> Int? {
        guard let name = keys.shortForm, document.kind(of: node) == .scalar,
            document.scalar(of: node) != .null
        else { return nil }
        return keys.names.firstIndex(of: name)
    }

    /// The mapping of a secret, a session or a task, for the help of a report of another value;
    /// nil inside of one, where `showingShape` adds it.
    private func entryExample(_ keys: KeyTable) -> String? {
        guard faults.path.isEmpty else { return nil }
        return "write `\(keys.exampleText)`"
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
            let likely = table.shorthand.flatMap {
                Hints.likelyMapping($0, mapping, in: document)
            }
            report(
                .wrongType,
                "\(place)expected a mapping, found \(faults.name(of: mapping))",
                at: mapping,
                help: likely.map { "did you mean `\($0)`?" }
                    ?? Hints.indentation(table.keys, mapping, key, in: document)
                    ?? table.shorthand?.advice()
                    ?? entryExample(table.keys)
            )
            return
        }
        var keys = MappingKeys(table.keys, of: mapping, ownedBy: key)
        for entry in document.entries(of: mapping) {
            guard let position = keys.position(of: entry.key, &faults) else { continue }
            let name = table.keys.names[position]
            let field = Field(name: name, key: entry.key, node: entry.value)
            if deferred != nil, faults.path.isEmpty, dependsOnItem(entry.value) {
                deferred?.append(DeferredValue(position: position, field: field))
                continue
            }
            showingShape(of: field, in: table.keys) {
                table.reads[position](&target, &$0, field)
            }
        }
        keys.finish(&faults)
    }
}
