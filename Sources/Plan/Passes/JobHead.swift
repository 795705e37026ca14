internal import Diagnostics
internal import JobFile
internal import SystemKit

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

    /// The name that the job gives itself, else the stem of its file: one file has one name,
    /// whatever link leads to it.
    var jobName: String { draft.name ?? Self.stem(of: options.resolvedPath(document.name)) }

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
        if let field = head.draft.secrets { _ = reader.isMapping(field) }
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
