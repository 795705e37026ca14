import ArgumentParser
import NetworkPath
import Plan
import Report
import SystemKit
import TransferModel

/// `runner plan`: shows what a run would do.
struct ShowPlan: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        _superCommandName: Program.name,
        abstract: "Show what a job file would do, and the line that sets each value.",
        discussion: Examples.discussion(
            "Sends nothing. Lists the tasks in an order in which they could run.",
            Example("what would one task do", "runner plan job.yaml --only handbook"),
            Example(
                "the URLs of all tasks",
                "runner plan job.yaml --format json | jq -r '.tasks[].url'"
            )
        )
    )

    @OptionGroup var choice: JobChoice

    @OptionGroup var job: JobOptions

    @Option(help: "The output format: text or json. [env: RUNNER_FORMAT] (default: text)")
    var format: OutputFormat?

    mutating func run() throws {
        let (path, only) = try choice.resolved()
        let source = try JobSource(
            path: path,
            variables: job.resolvedVariables(in: ProcessContext.environment),
            only: EnvironmentOption.identifiers(only)
        )
        let plan = try source.requirePlan()
        let listing = PlanListing(
            plan,
            interfaces: try Self.interfaces(of: plan),
            shown: source.shown
        )
        switch try OutputFormat.resolve(format) {
        case .text:
            try listing.writeText { (text) throws(Exit) in try Self.write(text.utf8.span) }
        case .json:
            try listing.writeJSON { (bytes: Span<UInt8>) throws(Exit) in
                if let harmless = TerminalText.harmlessJSON(bytes) {
                    try Self.write(harmless.span)
                } else {
                    try Self.write(bytes)
                }
            }
        }
    }

    /// The interfaces that each session could use now; nil if no session depends on them.
    private static func interfaces(of plan: Plan) throws -> [[String]]? {
        guard plan.dependsOnNetwork else { return nil }
        let snapshot = try NetworkSurvey.of(plan).snapshot(RouteSocket())
        return plan.sessions.map { snapshot.permitted(for: $0.access) }
    }

    /// Writes a piece; when the reader closes the pipe, the command ends successfully.
    private static func write(_ bytes: Span<UInt8>) throws(Exit) {
        let isRead: Bool
        do throws(SystemError) {
            isRead = try StandardOutput.write(bytes)
        } catch {
            throw Exit(.environment, error.message)
        }
        if !isRead { throw Exit(.success) }
    }
}
