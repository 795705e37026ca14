import Diagnostics
import JobFile
import Plan
import RegexKit
import Report
import SystemKit
import TransferModel

/// A parsed job file with all its diagnostics.
struct JobSource {
    /// The result of reading.
    enum Outcome {
        case plan(Plan)
        /// The file has faults; `isEnvironment` when only the environment lacks something.
        case rejected(isEnvironment: Bool)
    }

    /// The content of the file and of the files that it includes.
    let content: SourceText
    /// The diagnostics without secret values from the environment: of the job file, of included
    /// files, one for each fault of a data file, and of the lock file.
    let reports: [FileDiagnostics]
    /// Finds secret values of the environment; nil without any.
    private(set) var redactor: Redactor?
    let outcome: Outcome

    /// Reads and checks a file.
    ///
    /// - Parameters:
    ///   - path: The path on the command line, also used in diagnostics.
    ///   - variables: The values of `--var`.
    ///   - only: The ids of `--only`, or of the tasks to run again.
    ///   - shard: The part of the job; nil for all of it.
    ///   - allowsAbsentTasks: Whether an id of `only` that no task has is no fault.
    ///   - reportPath: The path of `--report`, which no task may write to.
    ///   - run: The values of `${run.…}`.
    ///   - toleratesEnvironment: Whether lacks of the environment are only warnings; such a plan
    ///     must not be run.
    ///   - comparesLockFile: Whether differences from a lock file beside the job are warnings.
    ///   - mostKeptTasks: How many tasks the plan keeps for the run instead of reading them again.
    ///   - lock: Takes the job's lock before its tasks are read; returns whether it had to wait.
    /// - Throws: `Exit` when the file cannot be read; the errors of `lock`.
    init(
        path: String,
        variables: [String: String],
        only: [String] = [],
        shard: Shard? = nil,
        allowsAbsentTasks: Bool = false,
        reportPath: String? = nil,
        run: RunValues = .standIn,
        toleratesEnvironment: Bool = false,
        comparesLockFile: Bool = false,
        mostKeptTasks: Int = 0,
        lock: (LockRequest) throws(Exit) -> Bool = { (_: LockRequest) throws(Exit) in false }
    ) throws(Exit) {
        try Self.requirePath(path)
        let bytes = try Self.read(path)
        let workingFolder = try Self.workingFolder(for: [path, reportPath])
        let options = PlanOptions {
            $0.variables = variables
            $0.environment = ProcessContext.environment
            $0.only = only
            $0.shard = shard
            $0.workingFolder = workingFolder
            $0.reportPath = reportPath.map { $0.hasBytePrefix("/") ? $0 : "\(workingFolder)/\($0)" }
            $0.fileStatus = Self.status
            $0.resolvedPath = JobIdentity.canonicalPath
            $0.isSameFile = ProcessContext.isSameFile
            $0.patternFault = RegularExpression.fault
            $0.dataFile = { try? OpenDataFile(path: $0) }
            $0.folder = Self.children
            $0.run = run
            $0.toleratesEnvironment = toleratesEnvironment
            $0.allowsAbsentTasks = allowsAbsentTasks
            $0.mostKeptTasks = mostKeptTasks
        }
        var parsed = Inclusion(bytes, name: path, options: options)
        // After a wait the current file counts, as for a command under flock(1).
        while parsed.diagnostics.isEmpty, let document = parsed.document,
            let request = LockRequest(of: document, options: options), try lock(request)
        {
            let present = Inclusion(try Self.read(path), name: path, options: options)
            guard present.source.bytes != parsed.source.bytes else { break }
            parsed = present
        }
        content = parsed.source
        guard let document = parsed.document else {
            reports = FileDiagnostics(showing: parsed.diagnostics, ofUnreadable: parsed.source)
                .byFile.map { $0.redacted(by: nil) }
            outcome = .rejected(isEnvironment: false)
            return
        }
        do throws(PlanRejected) {
            let plan = try Plan.make(from: document, options: options)
            let secrets = SecretResolver.environmentValues(of: plan.secretVariables)
            redactor = Redactor(secrets)
            let redactor = redactor
            let lockFile = comparesLockFile ? JobLockFile(jobPath: path).warnings(of: plan) : nil
            let warnings = plan.warnings + (lockFile?.ofJob ?? [])
            reports =
                plan.shown(parsed.diagnostics(with: warnings)).map { $0.redacted(by: redactor) }
                + (lockFile.map { [$0.ofLockFile.redacted(by: nil)] } ?? [])
            outcome = .plan(plan)
        } catch {
            let secrets = SecretResolver.environmentValues(of: error.secretVariables)
            let redactor = Redactor(secrets)
            let diagnostics = parsed.diagnostics(with: error.diagnostics)
            let shown = FileDiagnostics(showing: diagnostics, of: document).byFile
            reports = (shown + error.dataFaults).map { $0.redacted(by: redactor) }
            if error.isOnlyAboutOptions, parsed.diagnostics.isEmpty {
                throw Exit(.usage, Self.complaints(about: error))
            }
            outcome = .rejected(isEnvironment: parsed.diagnostics.isEmpty && error.isEnvironment)
        }
    }

    /// The base folder of relative paths; a missing one matters only to them.
    private static func workingFolder(for paths: [String?]) throws(Exit) -> String {
        if let folder = ProcessContext.workingFolder { return folder }
        guard paths.allSatisfy({ $0?.hasBytePrefix("/") ?? true }) else {
            throw Exit(
                .environment,
                "the working folder no longer exists, so that relative paths do not work: use "
                    + "absolute paths"
            )
        }
        return "/"
    }

    private static func children(of path: String, limit: Int) -> PlanOptions.FolderListing {
        do throws(SystemError) {
            let children = try Folder.children(of: path, limit: limit)
            return children.map { .children($0) } ?? .tooMany
        } catch {
            return error.isMissing ? .missing : .unreadable(SystemError.text(of: error.errno))
        }
    }

    private static func read(_ path: String) throws(Exit) -> [UInt8] {
        // One byte more than the limit, so that a larger file causes a diagnostic.
        try Exit.environment { () throws(SystemError) in
            try InputFile(path: path).readPrefix(limit: DocumentLimits.bytes + 1)
        }
    }

    /// Rejects `-`: a job's paths are relative to its file, and standard input has no folder.
    static func requirePath(_ argument: String) throws(Exit) {
        guard argument != "-" else {
            throw Exit(
                .usage,
                "runner does not read a job from standard input, because paths are relative to "
                    + "the job file; for a file named -, write ./-"
            )
        }
    }

    /// A text without secret values from the environment and without logins in URLs.
    func shown(_ text: String) -> String { ForeignText(redactor: redactor).open(text) }

    /// The exit code for a check of the file.
    var exitCode: ExitCode {
        switch outcome {
        case .plan: reports.contains(where: \.hasErrors) ? .invalidJobFile : .success
        case .rejected(let isEnvironment): isEnvironment ? .environment : .invalidJobFile
        }
    }

    /// The exit code for a check of the file; a strict one treats warnings as faults.
    ///
    /// Except warnings about the environment, which only tolerant checks have.
    func exitCode(isStrict: Bool) -> ExitCode {
        let isRefused =
            isStrict && exitCode == .success
            && reports.lazy.flatMap(\.diagnostics).contains {
                JobCode(rawValue: $0.code)?.isEnvironment != true
            }
        return isRefused ? .invalidJobFile : exitCode
    }

    /// The plan; if there are faults, prints them and ends the process.
    func requirePlan() throws -> Plan {
        printDiagnostics()
        guard case .plan(let plan) = outcome, exitCode == .success else { throw Exit(exitCode) }
        if let warning = plan.shardWarning { StandardError.say("warning: \(shown(warning))") }
        return plan
    }

    /// Writes the diagnostics as text to standard error.
    func printDiagnostics() {
        for report in reports { report.printAsText() }
    }

    /// The faults of options.
    private static func complaints(about rejected: PlanRejected) -> [String] {
        let tasks = rejected.unknownTasks.map { task in
            let hint = task.nearest.map { "; did you mean `\($0)`?" } ?? ""
            return "there is no task `\(task.id)` for `--only`\(hint)"
        }
        return tasks + [rejected.optionFault].compactMap(\.self)
    }

    static func status(_ path: String) -> PlanOptions.FileStatus {
        do throws(SystemError) {
            return switch try InputFile.kind(of: path) {
            case .regular: .readable
            case .pipe: .pipe
            case .other: .notRegular
            }
        } catch {
            return error.isMissing ? .missing : .unreadable(SystemError.text(of: error.errno))
        }
    }
}

extension FileDiagnostics {
    /// Writes the diagnostics as text to standard error.
    func printAsText() {
        guard !diagnostics.isEmpty else { return }
        let usesColor = TerminalTraits.ofStandardError().usesColor
        StandardError.write(Array(TextRenderer(self, usesColor: usesColor).render().utf8))
    }
}

/// A data file of a job, open from the check to the end of the run, so that a replaced file has no
/// effect.
struct OpenDataFile: DataFile {
    private let file: InputFile

    init(path: String) throws(SystemError) { file = try InputFile(path: path) }

    var size: Int64 { file.identity.size }

    var isUnchanged: Bool { file.isUnchanged }

    func read(at offset: Int64, count: Int) -> [UInt8]? {
        try? file.read(at: offset, count: count)
    }
}
