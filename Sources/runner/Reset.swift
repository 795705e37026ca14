import ArgumentParser
import Cookies
import HTTPCache
import JSON
import Plan
import SystemKit
import TransferModel

/// `runner reset`: removes the cookies and stored responses that a job's sessions keep between
/// runs, as `URLSession.reset`.
struct Reset: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        _superCommandName: Program.name,
        abstract: "Remove the cookies and stored responses that a job's sessions keep.",
        discussion: Examples.discussion(
            """
            Without --cookies and --cache both are removed. A cache is the whole folder that the session uses, also the \
            responses of other jobs in it. Credentials are not kept between runs, and other state stays: interrupted \
            transfers (`runner cancel` gives them up) and idempotency keys.
            """,
            Example("log out everywhere", "runner reset job.yaml --cookies"),
            Example("begin one session anew", "runner reset job.yaml --session orders")
        )
    )

    @Argument(
        help: ArgumentHelp("The job file.", valueName: "file"),
        completion: .jobFile
    )
    var file: String

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Only this session of the job; the option may be repeated.",
            valueName: "session"
        )
    )
    var session: [String] = []

    @Flag(help: "Remove cookies.")
    var cookies = false

    @Flag(help: "Remove stored responses.")
    var cache = false

    @OptionGroup var job: JobOptions

    @OptionGroup var state: StateOptions

    @Option(help: "The output format: text or json. [env: RUNNER_FORMAT] (default: text)")
    var format: OutputFormat?

    /// The removals from one session.
    private struct Removal {
        var session: String
        /// nil when cookies were not to be removed.
        var cookies: Int?
        /// Files of the cache's folder; nil for a session without one, or when it was not to be
        /// emptied.
        var cacheFiles: Int?
    }

    mutating func run() throws {
        let environment = ProcessContext.environment
        let source = try JobSource(
            path: file,
            variables: job.resolvedVariables(in: environment)
        )
        let plan = try source.requirePlan()
        let isAll = !cookies && !cache
        var emptied: Set<String> = []
        var removals: [Removal] = []
        for chosen in try sessions(of: plan) {
            var removal = Removal(session: chosen.name)
            if cookies || isAll { removal.cookies = try removeCookies(of: chosen, plan) }
            if cache || isAll {
                removal.cacheFiles = try Self.clearCache(of: chosen, environment, &emptied)
            }
            removals.append(removal)
        }
        try write(removals, shown: source.shown)
    }

    /// The chosen sessions, or all of them.
    private func sessions(of plan: Plan) throws(Exit) -> [SessionConfiguration] {
        guard !session.isEmpty else { return plan.sessions }
        for name in session where !plan.sessions.contains(where: { $0.name == name }) {
            let known = plan.sessions.prefix(20).map { "`\(TerminalText.harmless($0.name))`" }
            throw Exit(
                .usage,
                "the job has no session `\(TerminalText.harmless(name))`; "
                    + "there are \(known.joined(separator: ", "))"
            )
        }
        return plan.sessions.filter { session.contains($0.name) }
    }

    private func removeCookies(
        of session: SessionConfiguration,
        _ plan: Plan
    ) throws(Exit) -> Int {
        let jar = state.folder.cookieFile(of: session, in: JobIdentity(of: plan, path: file))
        guard let jar else { return 0 }
        do throws(CookieFileFault) {
            return try jar.remove(at: RunClock.now().wall)
        } catch {
            throw Exit(.environment, error.message)
        }
    }

    /// The number of removed files; nil for a session that stores nothing on disk.
    private static func clearCache(
        of session: SessionConfiguration,
        _ environment: [String: String],
        _ emptied: inout Set<String>
    ) throws -> Int? {
        guard session.kind != .ephemeral, let rule = session.keptCache,
            let directory = rule.directory ?? CacheFolder.path(in: environment)
        else { return nil }
        guard emptied.insert(directory).inserted else { return 0 }
        return try Exit.environment { () throws(SystemError) in
            try DiskInventory.open(directory)?.clear() ?? 0
        }
    }

    private func write(_ removals: [Removal], shown: (String) -> String) throws {
        try CacheCommand.write(
            OutputFormat.resolve(format),
            text: {
                removals.map { removal in
                    var parts: [String] = []
                    if let count = removal.cookies { parts.append("\(count) cookies") }
                    if let count = removal.cacheFiles {
                        parts.append("\(count) files of the cache")
                    }
                    let what = parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
                    return "\(TerminalText.harmless(shown(removal.session))): removed \(what)\n"
                }.joined()
            },
            json: { writer in
                writer.beginArray()
                for removal in removals {
                    writer.beginObject()
                    writer.member("session", shown(removal.session))
                    for (name, count) in [
                        ("removedCookies", removal.cookies), ("removedFiles", removal.cacheFiles),
                    ] {
                        writer.key(name)
                        if let count { writer.integer(Int64(count)) } else { writer.null() }
                    }
                    writer.endObject()
                }
                writer.endArray()
            }
        )
    }
}
