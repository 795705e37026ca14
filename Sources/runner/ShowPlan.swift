import ArgumentParser
import Plan
import SystemKit

/// `runner plan`: what a run would do.
struct ShowPlan: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what a job file would do, and which line says so.",
        discussion: "Nothing is sent. Tasks stand in the order in which they could run."
    )

    @Argument(help: ArgumentHelp("The job file.", valueName: "file"))
    var file: String

    @OptionGroup var job: JobOptions

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Show only these tasks and what they need. [env: RUNNER_ONLY, separated by spaces]",
            valueName: "id"
        )
    )
    var only: [String] = []

    @Option(help: "How to show it: text or json. [env: RUNNER_FORMAT] (default: text)")
    var format: OutputFormat?

    mutating func run() throws {
        let source = try JobSource(
            path: file,
            variables: job.resolvedVariables(in: ProcessContext.environment),
            only: EnvironmentOption.identifiers(only)
        )
        let listing = PlanListing(try source.requirePlan())
        // A reader that has seen enough ends the listing, not the command.
        switch try OutputFormat.resolve(format) {
        case .text:
            try? listing.writeText { (text) throws(ReaderGone) in
                guard StandardOutput.write(text) else { throw ReaderGone() }
            }
        case .json:
            try? listing.writeJSON { (bytes) throws(ReaderGone) in
                guard StandardOutput.write(bytes) else { throw ReaderGone() }
            }
        }
    }

    /// Nobody reads standard output any more.
    private struct ReaderGone: Error {}
}
