import Diagnostics
import Plan
import Report
import SystemKit
import TransferModel

/// The lock file beside a job file: `job.lock` beside `job.yaml`.
struct JobLockFile {
    /// The state of the lock file on disk.
    private enum Content {
        case missing
        case broken(SourceText, Diagnostic)
        case whole(LockFile, SourceText)
    }

    /// The path of the job file.
    private let jobPath: String
    let path: String

    init(jobPath: String) {
        self.jobPath = jobPath
        let stem = ["yaml", "yml"].lazy.compactMap { jobPath.withoutByteSuffix(".\($0)") }.first
        path = "\(stem ?? jobPath[...]).lock"
    }

    private func content(_ severity: Diagnostic.Severity) throws(SystemError) -> Content {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try InputFile(path: path).readPrefix(limit: LockFile.mostBytes + 1)
        } catch {
            guard error.isMissing else { throw error }
            return .missing
        }
        do throws(LockFile.Fault) {
            return .whole(try LockFile(bytes), SourceText(name: path, bytes: bytes))
        } catch {
            // Of a file that is too large the diagnostic shows the start.
            let isTooLarge = bytes.count > LockFile.mostBytes
            let shown = isTooLarge ? Array(bytes.prefix(4096)) : bytes
            let source = SourceText(name: path, bytes: shown)
            let diagnostic = Diagnostic(
                severity,
                code: LockCode.unreadable.rawValue,
                error.message,
                at: SourceRange(source.position(at: error.offset)),
                help: "`runner lock \(jobPath)` makes a new one"
            )
            return .broken(source, diagnostic)
        }
    }

    /// The lock file, for its update.
    ///
    /// - Throws: `Exit` when there is none, or when it is broken.
    func require() throws(Exit) -> LockFile {
        let content = try Exit.environment { () throws(SystemError) in try self.content(.error) }
        switch content {
        case .whole(let file, _): return file
        case .missing:
            throw Exit(
                .environment,
                "there is no lock file \(shownPath): make it with `runner lock "
                    + "\(TerminalText.harmless(jobPath))`"
            )
        case .broken(let source, let diagnostic):
            FileDiagnostics(source: source, diagnostics: [diagnostic]).redacted(by: nil)
                .printAsText()
            throw Exit(.invalidJobFile)
        }
    }

    /// The lock file, if it has every download of a plan as the job file has it; otherwise prints
    /// the differences.
    ///
    /// - Throws: `Exit` for a difference, and as without a plan.
    func require(by plan: Plan, _ redactor: Redactor?) throws(Exit) -> LockFile {
        let file = try require()
        let differences = plan.differences(from: file, .error)
        guard differences.isEmpty else {
            for part in plan.shown(differences) { part.redacted(by: redactor).printAsText() }
            throw Exit(.invalidJobFile)
        }
        return file
    }

    /// The differences between a whole job and its lock file; nil when there is no lock file.
    func warnings(of plan: Plan) -> (ofJob: [Diagnostic], ofLockFile: FileDiagnostics)? {
        let content: Content
        do throws(SystemError) {
            content = try self.content(.warning)
        } catch {
            let diagnostic = Diagnostic(
                .warning,
                code: LockCode.unreadable.rawValue,
                error.message,
                at: SourceRange(SourcePosition(line: 1, column: 1))
            )
            content = .broken(SourceText(name: path, bytes: []), diagnostic)
        }
        switch content {
        case .missing: return nil
        case .broken(let source, let diagnostic):
            return ([], FileDiagnostics(source: source, diagnostics: [diagnostic]))
        case .whole(let file, let source):
            let surplus = FileDiagnostics(
                source: source,
                diagnostics: plan.surplus(of: file, in: source)
            )
            return (plan.differences(from: file, .warning), surplus)
        }
    }

    /// Replaces the lock file as a whole.
    func write(_ text: [UInt8]) throws(SystemError) {
        let (folder, file) = try PublishedReport.open(path, mode: 0o666)
        try file.write(text.span)
        try file.syncForPublishing(replacing: true)
        try file.publish(replacing: true)
        try folder.sync()
    }

    /// The path for messages.
    var shownPath: String { TerminalText.harmless(path) }
}
