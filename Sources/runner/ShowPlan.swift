import ArgumentParser
import NetworkPath
import Plan
import Report
import Scheduler
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
            Example("what would a run do here and now", "runner plan job.yaml --diff"),
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

    mutating func validate() throws {
        if all, diff { throw ValidationError("--all lists settings, which --diff leaves out") }
    }

    mutating func run() throws {
        let (path, only) = try choice.resolved()
        let source = try JobSource(
            path: path,
            variables: job.resolvedVariables(in: ProcessContext.environment),
            only: EnvironmentOption.identifiers(only),
            shard: choice.resolvedShard()
        )
        let plan = try source.requirePlan()
        let listing = PlanListing(
            plan,
            scope: all ? .all : .set,
            interfaces: diff ? nil : try Self.interfaces(of: plan),
            showsValues: showValues,
            shown: source.shown
        )
        let forecast = PlanForecast(plan)
        switch (try OutputFormat.resolve(format), diff) {
        case (.text, false): try listing.writeText(Self.write)
        case (.text, true): try listing.writeOutlooks(forecast.outlook, Self.write)
        case (.json, false): try listing.writeJSON(Self.writeJSON)
        case (.json, true): try listing.writeOutlooksAsJSON(forecast.outlook, Self.writeJSON)
        }
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

/// Forecasts the run's action for each task of a plan here and now.
struct PlanForecast {
    private let plan: Plan
    /// The tasks with captured values of other tasks: their settings are not known yet.
    private let users: Set<Int>

    init(_ plan: Plan) {
        self.plan = plan
        users = Set(plan.captureUses.pairs.map(\.user))
    }

    /// The run's action for the task at an index; `destination` is the shown text of its
    /// destination.
    func outlook(_ index: Int, _ destination: String) -> TaskOutlook {
        guard !users.contains(index), let task = try? plan.task(at: index, captured: .init()) else {
            return Self.blank(plan.kind(of: index))
        }
        let forecast = TaskForecast(of: task, TaskFacts(of: task))
        let path = task.destination == nil ? "" : destination
        return Self.outlook(of: task, forecast, at: path, isKept: isKept(task))
    }

    private func isKept(_ task: TaskSpec) -> Bool {
        plan.sessions.indices.contains(task.session)
            && plan.sessions[task.session].kind == .background
    }

    /// The outlook of a task whose settings are not known yet.
    private static func blank(_ kind: TaskSpec.Kind) -> TaskOutlook {
        let action: TaskOutlook.Action =
            switch kind {
            case .upload: .send
            case .data, .download: .fetch
            case .webSocket, .stream: .connect
            }
        return TaskOutlook(action, "depends on values that other tasks capture")
    }

    private static func outlook(
        of task: TaskSpec,
        _ forecast: TaskForecast,
        at path: String,
        isKept: Bool
    ) -> TaskOutlook {
        // The journal of the session may have the task as ended.
        let evidence = task.destination?.checksum == nil ? "signature" : "checksum"
        let ended = isKept ? ", unless an earlier run of the background session has ended it" : ""
        switch forecast {
        case .send(let method): return TaskOutlook(.send, method + ended)
        case .connect: return TaskOutlook(.connect, "")
        case .fetch(.new): return TaskOutlook(.fetch, path + ended)
        case .fetch(.replaced): return TaskOutlook(.fetch, "replaces \(path)" + ended)
        case .fetch(.different):
            return TaskOutlook(.fetch, "\(path) has another \(evidence)" + ended)
        case .fetch(.named): return TaskOutlook(.fetch, "the server names the file" + ended)
        case .fetchChecksum:
            return TaskOutlook(.check, "the list of checksums decides about \(path)" + ended)
        case .revalidate:
            return TaskOutlook(.check, "whether \(path) has changed" + ended)
        case .resume(let count, let total):
            return TaskOutlook(
                .resume,
                "\(path), \(Quantity.bytes(count)) of \(Quantity.bytes(total)) are there" + ended,
                presentBytes: count,
                totalBytes: total
            )
        case .keep(isVerified: true): return TaskOutlook(.keep, "\(path) has its \(evidence)")
        case .keep(isVerified: false): return TaskOutlook(.keep, "\(path) exists")
        case .fail(.exists):
            return TaskOutlook(.fail, "`\(path)` exists, and `ifExists` is `fail`")
        case .fail(.unusable(var error)):
            error.subject = path
            return TaskOutlook(.fail, error.message)
        }
    }
}
