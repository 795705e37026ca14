internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// The first pass over a job: its variables and secrets, and its top level.
///
/// The sections of tasks, `defaults` and `sessions` stay unread.
struct JobHead {
    /// The settings at the top.
    private(set) var draft = JobDraft()
    let document: Document
    let options: PlanOptions

    /// The absolute path of the job file.
    var path: String { AbsolutePath.make(document.name, in: options.workingFolder) }

    /// The absolute paths of the job file and of the files that it includes.
    var paths: [String] {
        let included = document.source.included.map(\.name)
        return [path] + included.map { AbsolutePath.make($0, in: options.workingFolder) }
    }

    /// The name that the job gives itself, else the stem of its file: one file has one name,
    /// whatever link leads to it.
    var jobName: String { draft.name ?? Self.stem(of: options.resolvedPath(document.name)) }

    /// The number of runs that share the limits of the job; nil when this run has all of them.
    var sharingCount: Int? {
        draft.schedule.shardLimits == .divide ? options.shard?.count : nil
    }

    /// Reads the top of a job, and makes a reader that knows its variables and secrets.
    ///
    /// `secrets` has the values of secrets by their names; nil while the job is only checked.
    static func read(
        _ document: Document,
        _ options: PlanOptions,
        secrets: [String: KnownSecret]? = nil
    ) -> (JobHead, Reader) {
        var head = JobHead(document: document, options: options)
        var reader = Reader(
            document: document,
            values: Interpolator(environment: options.environment, run: options.run),
            folder: AbsolutePath.folder(of: head.path),
            fileStatus: options.fileStatus,
            patternFault: options.patternFault
        )
        reader.faults.language = JobTable.table.keys
        reader.values.isOfShard = options.shard != nil
        reader.templates = TemplateFiles(options.dataFile)
        reader.faults.log.toleratesEnvironment = options.toleratesEnvironment
        VariableSection.declare(options.variables, &reader)
        SecretSection.declare(values: secrets, &reader)
        // Before the variables: no variable may be filled in with a secret.
        SecretSection.define(&reader)
        reader.forgetVariablesOfSecrets()
        reader.values.resolveVariables(&reader.faults)
        let root = document.root
        reader.apply(JobTable.table, to: &head.draft, from: root, ownedBy: root)
        if let count = head.sharingCount {
            head.draft.schedule = head.draft.schedule.divided(by: count)
        }
        if let shard = options.shard { head.draft.report.nameFiles(of: shard) }
        if let field = head.draft.secrets { _ = reader.isMapping(field, in: JobTable.table.keys) }
        return (head, reader)
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

extension ReportDraft {
    /// Gives a shard reports of its own: `out/report.json` becomes `out/report-7of100.json`.
    fileprivate mutating func nameFiles(of shard: Shard) {
        for kind in files.keys {
            if let path = files[kind]?.path { files[kind]?.path = shard.path(of: path) }
        }
    }
}

/// The variables of `variables` and of `--var`.
enum VariableSection {
    /// Declares the variables of the file and the `given` ones, none of them resolved.
    static func declare(_ given: [String: String], _ reader: inout Reader) {
        for (name, text) in given {
            let value = ScalarValue(text: text, type: Scalar(plain: text), isFilledIn: true)
            reader.values.variables.states[name] = .value(value)
            reader.values.variables.unused.insert(name)
        }
        let document = reader.document
        guard let (key, node) = document.value(of: document.root, for: "variables"),
            reader.isMapping(
                Field(name: "variables", key: key, node: node),
                in: JobTable.table.keys
            )
        else { return }
        for entry in document.entries(of: node) where !reader.document.isFree(entry.key) {
            declare(document.text(of: entry.key), entry.key, entry.value, &reader)
        }
    }

    private static func declare(
        _ name: String,
        _ key: NodeID,
        _ node: NodeID,
        _ reader: inout Reader
    ) {
        guard Expression.isVariableName(name) else {
            return reader.report(
                .badID,
                "`\(name)` is not a variable name",
                at: key,
                help: "a name has letters, digits, `_` and `-`, and does not begin with a digit"
            )
        }
        reader.values.variables.unused.remove(name)
        guard case .value(var given)? = reader.values.variables.states[name] else {
            reader.values.variables.names.append(name)
            reader.values.variables.states[name] = .pending(Field(name: name, key: key, node: node))
            return
        }
        let document = reader.document
        // Declared as a string, it stays one: `--var id=00123` and `--var id=123` are both text.
        if document.kind(of: node) == .scalar, document.scalar(of: node) == .string {
            given.type = .string
            reader.values.variables.states[name] = .value(given)
        }
    }

    /// Warns of variables of `--var` that nothing has used.
    static func warnOfUnused(_ reader: inout Reader) {
        // The rows of other shards may use them.
        guard !reader.values.isOfShard else { return }
        for name in reader.values.variables.unused.sorted() {
            let nearest = NearestName.find(name, among: reader.values.variables.names)
            reader.faults.log.warn(
                .unusedVariable,
                "the variable `\(name)` from `--var` is not used",
                at: SourceRange(reader.document.range(of: reader.document.root).start),
                help: nearest.map { "did you mean `\($0)`?" }
            )
        }
    }
}

/// The section `secrets`.
enum SecretSection {
    /// Notes the names of the secrets, so that expressions can refer to them; `values` is nil while
    /// the job is only checked.
    static func declare(values: [String: KnownSecret]?, _ reader: inout Reader) {
        let document = reader.document
        guard let section = document.value(of: document.root, for: "secrets")?.value else { return }
        reader.values.secrets = SecretList(isForRun: values != nil)
        for entry in document.entries(of: section) where !reader.document.isFree(entry.key) {
            let name = document.text(of: entry.key)
            guard Expression.isVariableName(name) else {
                reader.report(
                    .badID,
                    "`\(name.excerpt)` is not a name of a secret",
                    at: entry.key,
                    help: "a name has letters, digits, `_` and `-`, and does not begin with a digit"
                )
                continue
            }
            guard reader.values.secrets.declare(name, values?[name]) else {
                reader.report(
                    .outOfRange,
                    "a job may have at most \(SecretSet.capacity) secrets",
                    at: entry.key
                )
                return
            }
        }
    }

    /// Reads the declaration of each secret.
    static func define(_ reader: inout Reader) {
        let document = reader.document
        // Also a second section: its presence is a fault, whose message must not show secrets.
        let sections = document.entries(of: document.root).filter {
            document.hasText($0.key, equalTo: "secrets")
        }
        let entries = sections.flatMap { document.entries(of: $0.value) }
        for entry in entries where !reader.document.isFree(entry.key) {
            let name = document.text(of: entry.key)
            var draft = SecretDraft()
            reader.faults.owner = .secret(entry.key)
            let isFaultless = reader.isFaultless {
                $0.apply(SecretTable.table, to: &draft, from: entry.value, ownedBy: entry.key)
            }
            reader.values.secrets.variables.formUnion(draft.variables)
            guard isFaultless, var source = draft.source else { continue }
            if let timeout = draft.timeout, case .command(let arguments, _) = source {
                source = .command(arguments, timeout: timeout)
            }
            reader.values.secrets.define(
                SecretDeclaration(
                    name: name,
                    source: source,
                    origins: draft.origins,
                    allowsURL: draft.allowsURL,
                    range: document.range(of: entry.key)
                )
            )
        }
        reader.faults.owner = .job
    }
}
