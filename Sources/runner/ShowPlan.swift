import ArgumentParser
import NetworkPath
import Plan
import SystemKit
import TransferModel

/// `runner plan`: shows what a run would do.
struct ShowPlan: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        _superCommandName: Program.name,
        abstract: "Show what a job file would do, and the line that sets each value.",
        discussion: Examples.discussion(
            """
            Sends nothing, unless --ask tells it to. Lists the tasks in an order in which they could run.
            """,
            Example("what would a run do here and now", "runner plan job.yaml --diff"),
            Example("which files have changed at the servers", "runner plan job.yaml --ask"),
            Example("what would one of four processes do", "runner plan job.yaml --shard 1/4"),
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

    @Flag(help: "List settings that no line of the job file sets, too. JSON always has them.")
    var all = false

    @Flag(
        help: """
            Show paths and other values that are no credential by their keys. Without it, they are dots.
            """
    )
    var showValues = false

    @Flag(
        help: """
            Say of each task what a run would do here and now: send, fetch, resume, check, connect, \
            keep or fail. Looks at destinations and parts, not into the HTTP cache.
            """
    )
    var diff = false

    @Flag(
        help: """
            As --diff, and ask the servers of downloads whether the files have changed and how large they are, \
            as a run would ask. Sends no upload, and changes no file.
            """
    )
    var ask = false

    @OptionGroup var state: StateOptions

    mutating func validate() throws {
        guard all, diff || ask else { return }
        let option = ask ? "--ask" : "--diff"
        throw ValidationError("--all lists settings, which \(option) leaves out")
    }

    mutating func run() throws {
        let (path, only) = try choice.resolved()
        let source = try JobSource(
            path: path,
            variables: job.resolvedVariables(in: ProcessContext.environment),
            only: EnvironmentOption.identifiers(only),
            shard: choice.resolvedShard(),
            run: ask ? .present() : .standIn
        )
        let plan = try source.requirePlan()
        let format = try OutputFormat.resolve(format)
        var forecast = PlanForecast(plan)
        if ask { try forecast.ask(questions(plan, jobPath: path)) }
        let listing = PlanListing(
            plan,
            scope: all ? .all : .set,
            interfaces: diff || ask ? nil : try Self.interfaces(of: plan),
            showsValues: showValues,
            shown: source.shown
        )
        switch (format, diff || ask) {
        case (.text, false): try listing.writeText(Self.write)
        case (.json, false): try listing.writeJSON(Self.writeJSON)
        case (.text, true):
            var size = FetchedSize()
            try listing.writeOutlooks(
                { index, destination in
                    let outlook = forecast.outlook(index, destination)
                    size.add(outlook)
                    return outlook
                },
                Self.write
            )
            if ask, let text = size.text { try Self.write(text + "\n") }
        case (.json, true): try listing.writeOutlooksAsJSON(forecast.outlook, Self.writeJSON)
        }
        if forecast.answers?.isWithoutContact == true {
            throw Exit(.temporary, "no server could be reached: run the command again")
        }
    }

    private func questions(_ plan: Plan, jobPath: String) -> PlanQuestions {
        PlanQuestions(
            plan: plan,
            jobPath: jobPath,
            state: state.folder,
            showsValues: showValues
        )
    }

    private static func write(_ text: String) throws(Exit) { try write(text.utf8.span) }

    private static func writeJSON(_ bytes: Span<UInt8>) throws(Exit) {
        if let harmless = TerminalText.harmlessJSON(bytes) {
            try write(harmless.span)
        } else {
            try write(bytes)
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
