import ArgumentParser
import Diagnostics
import JSON
import Plan
import SystemKit
import TransferModel

/// `runner validate`: shows every fault of a job file, without network access.
struct Validate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        _superCommandName: Program.name,
        abstract: "Check job files without touching the network.",
        discussion: Examples.discussion(
            "Shows all faults of a file at once. Exits with 3 for a fault, with 4 when only a "
                + "variable or a file of this machine is missing, or when no file matches a pattern.",
            Example("check all jobs of a folder", "runner validate 'jobs/*.yaml'"),
            Example("in CI, where no secrets are", "runner validate --no-environment job.yaml"),
            Example("for code scanning", "runner validate --format sarif job.yaml > faults.sarif")
        )
    )

    @Argument(
        help: ArgumentHelp(
            "The job files to check; names may be patterns such as 'jobs/*.yaml'.",
            valueName: "file"
        ),
        completion: .jobFile
    )
    var files: [String]

    @OptionGroup var job: JobOptions

    @Option(help: "The output format. [env: RUNNER_FORMAT] (default: text)")
    var format: DiagnosticFormat?

    @Flag(help: "Exit with 3 for warnings too. [env: RUNNER_STRICT]")
    var strict = false

    @Flag(
        name: .customLong("no-environment"),
        help: ArgumentHelp(
            """
            Report missing variables and files as warnings, for a machine that checks the job but does not \
            run it. [env: RUNNER_NO_ENVIRONMENT]
            """
        )
    )
    var noEnvironment = false

    @Flag(name: .shortAndLong, help: "Print nothing about valid files. [env: RUNNER_QUIET]")
    var quiet = false

    mutating func run() throws {
        let variables = try job.resolvedVariables(in: ProcessContext.environment)
        let format = try DiagnosticFormat.resolve(format)
        let isQuiet = try quiet || EnvironmentOption.flag("QUIET")
        let toleratesEnvironment = try noEnvironment || EnvironmentOption.flag("NO_ENVIRONMENT")
        let isStrict = try strict || EnvironmentOption.flag("STRICT")
        let paths = RepositoryPaths(
            environment: ProcessContext.environment,
            workingFolder: ProcessContext.workingFolder
        )
        let renamed = { (report: FileDiagnostics) in
            report.renamed(paths.path(of: report.source.name))
        }
        var worst = RunnerExitCode.success
        var reports: [FileDiagnostics] = []
        for file in try Self.expanded(files) {
            let source: JobSource
            do throws(Exit) {
                source = try JobSource(
                    path: file,
                    variables: variables,
                    toleratesEnvironment: toleratesEnvironment,
                    comparesLockFile: true
                )
            } catch {
                // Continue with the other files.
                error.explain()
                worst = Self.worse(worst, error.code)
                continue
            }
            let code = source.exitCode(isStrict: isStrict)
            worst = Self.worse(worst, code)
            switch format {
            case .text: try Self.show(source, isRight: code == .success, isQuiet: isQuiet)
            case .github:
                for report in source.reports.map(renamed) {
                    try StandardOutput.write(GitHubRenderer.render(report))
                }
            case .json: reports += source.reports
            case .sarif, .gitlab: reports += source.reports.map(renamed)
            }
        }
        try Self.write(reports, as: format)
        if worst != .success { throw Exit(worst) }
    }

    /// The files of the arguments, without duplicates, in order.
    private static func expanded(_ arguments: [String]) throws -> [String] {
        let found = try arguments.flatMap { argument in
            try JobSource.requirePath(argument)
            let files = try Exit.environment { () throws(SystemError) in
                try FilePattern.expand(argument)
            }
            guard !files.isEmpty else { throw Exit(.environment, "no file matches `\(argument)`") }
            return files
        }
        guard found.count > 1 else { return found }
        var known: Set<ByteText> = []
        let folder = ProcessContext.workingFolder ?? "."
        return found.filter {
            known.insert(ByteText(AbsolutePath.make($0, in: folder))).inserted
        }
    }

    /// Writes diagnostics to standard error, and the line about a valid file to standard output.
    private static func show(_ source: JobSource, isRight: Bool, isQuiet: Bool) throws {
        source.printDiagnostics()
        guard isRight, !isQuiet, case .plan(let plan) = source.outcome else { return }
        let count = plan.taskCount
        let name = TerminalText.harmless(source.shown(source.content.name))
        try StandardOutput.write("\(name): valid, \(count) \(count == 1 ? "task" : "tasks")\n")
    }

    /// Writes the formats with one document for all files.
    private static func write(_ reports: [FileDiagnostics], as format: DiagnosticFormat) throws {
        var writer = JSONWriter(isPretty: true)
        switch format {
        case .text, .github: return
        case .json: JSONRenderer.write(reports, to: &writer)
        case .sarif:
            SARIFRenderer.write(reports, version: RunnerVersion.current, to: &writer)
        case .gitlab: GitLabRenderer.write(reports, to: &writer)
        }
        writer.newline()
        try writer.drain { (bytes: Span<UInt8>) throws(SystemError) in
            _ = try StandardOutput.write(json: bytes)
        }
    }

    /// An invalid file outweighs a problem of the machine.
    private static func worse(
        _ left: RunnerExitCode,
        _ right: RunnerExitCode
    ) -> RunnerExitCode {
        let order: [RunnerExitCode] = [.invalidJobFile, .environment]
        return order.first { $0 == left || $0 == right } ?? .success
    }
}
