import ArgumentParser
import Diagnostics
import JSON
import Plan
import SystemKit
import TransferModel

/// `runner validate`: every fault of a job file, without touching the network.
struct Validate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check job files without touching the network.",
        discussion:
            "All faults of a file are shown at once. Exits with 3 when there is one, with 4 when only a "
            + "variable or a file of this machine is missing."
    )

    @Argument(help: ArgumentHelp("The job files to check.", valueName: "file"))
    var files: [String]

    @OptionGroup var job: JobOptions

    @Option(help: "How to show what was found. [env: RUNNER_FORMAT]")
    var format: OutputFormat?

    @Flag(name: .shortAndLong, help: "Say nothing about files that are right. [env: RUNNER_QUIET]")
    var quiet = false

    mutating func run() throws {
        let variables = job.resolvedVariables(in: ProcessContext.environment)
        let format = try OutputFormat.resolve(format)
        let isQuiet = try quiet || EnvironmentOption.flag("QUIET")
        var worst = RunnerExitCode.success
        var reports: [FileDiagnostics] = []
        for file in files {
            let source: JobSource
            do throws(Exit) {
                source = try JobSource(path: file, variables: variables)
            } catch {
                // The other files are checked all the same.
                error.explain()
                worst = Self.worse(worst, error.code)
                continue
            }
            worst = Self.worse(worst, source.exitCode)
            switch format {
            case .json:
                reports.append(source.report)
            case .text:
                source.printDiagnostics()
                if source.exitCode == .success, !isQuiet, case .plan(let plan) = source.outcome {
                    let count = plan.taskCount
                    try StandardOutput.write(
                        "\(file): valid, \(count) \(count == 1 ? "task" : "tasks")\n"
                    )
                }
            }
        }
        if format == .json {
            var writer = JSONWriter(isPretty: true)
            JSONRenderer.write(reports, to: &writer)
            writer.newline()
            try writer.drain { (bytes: Span<UInt8>) throws(SystemError) in
                _ = try StandardOutput.write(bytes)
            }
        }
        if worst != .success { throw Exit(worst) }
    }

    /// A wrong command line weighs more than a wrong file, and that more than a machine that lacks something.
    private static func worse(
        _ left: RunnerExitCode,
        _ right: RunnerExitCode
    ) -> RunnerExitCode {
        let order: [RunnerExitCode] = [.usage, .invalidJobFile, .environment]
        return order.first { $0 == left || $0 == right } ?? .success
    }
}
