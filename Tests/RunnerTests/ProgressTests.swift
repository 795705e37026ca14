import TestSupport
import Testing

@Suite struct ProgressTests {
    private func job(_ server: ScriptedServer) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            downloads:
              good: { url: \(server.url("/good")), to: good.bin }
              bad: { url: \(server.url("/bad")), to: bad.bin }
            """
        )
    }

    private func server() throws -> ScriptedServer {
        try ScriptedServer(["/good": [.ok("good")]])
    }

    @Test(arguments: [
        [], ["--progress", "plain"], ["--progress", "auto"], ["--progress", "bar"],
    ])
    func `without a terminal there is a line for each task and a summary`(
        option: [String]
    ) throws {
        let server = try server()
        let job = try job(server)
        let text = try job.runCommand(option).run().standardError
        let lines = text.split(separator: "\n")
        let words = lines.map { $0.dropFirst(9) }
        #expect(words.count { $0.hasPrefix("succeeded  good") } == 1)
        #expect(words.count { $0.hasPrefix("failed     bad") } == 1)
        #expect(text.contains("/bad answered 404 Not Found; attempt 1, "))
        #expect(lines.count { $0.hasSuffix("(job.yaml:4:10)") } == 1)
        #expect(lines.contains { $0.hasPrefix("1 of 2 tasks succeeded, 1 failed") })
        #expect(lines.last == "report: report.json")
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `with failures, a run that did everything says nothing`() throws {
        let server = try server()
        let job = try JobFolder(
            "version: 1\ndownloads:\n  good: { url: \(server.url("/good")), to: good.bin }\n"
        )
        let outcome = try job.runCommand(["--progress", "failures"]).run()
        #expect(outcome.standardError + outcome.standardOutput == "")
        #expect(try outcome.reported(in: job.folder).code == 0)
    }

    @Test func `with failures, a run says what failed and its totals`() throws {
        let server = try server()
        let job = try job(server)
        let text = try job.runCommand(["--progress", "failures"]).run().standardError
        let lines = text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].contains("failed     bad  GET \(server.url("/bad")) answered 404"))
        #expect(lines[1].hasPrefix("1 of 2 tasks succeeded, 1 failed"))
    }

    @Test func `with json, each line is an event that the schema describes`() throws {
        let server = try server()
        let job = try job(server)
        let text = try job.runCommand(["--progress", "json"]).run().standardError
        let validator = try Repository.validator("events")
        var names: [String] = []
        for line in text.split(separator: "\n") {
            let event = try JSONValue(String(line))
            #expect(validator.faults(in: event).isEmpty, "\(line)")
            names.append(event["event"]?.string ?? "")
        }
        #expect(names.first == "runStarted" && names.last == "runFinished")
        #expect(names.count { $0 == "taskFinished" } == 2)
    }

    @Test(arguments: ["option", "environment"])
    func `no progress is shown with none`(place: String) throws {
        let server = try server()
        let job = try job(server)
        let outcome = try job.runCommand(
            place == "option" ? ["--progress", "none"] : [],
            environment: place == "option" ? [:] : ["RUNNER_PROGRESS": "none"]
        ).run()
        #expect(outcome.standardError + outcome.standardOutput == "")
        #expect(try outcome.reported(in: job.folder).code == 1)
    }

    /// Runs the job with a terminal of `script` (util-linux) as its standard streams.
    private func runInTerminal(
        _ job: JobFolder,
        environment: [String: String?] = [:]
    ) throws -> RunningCommand {
        let command = try job.runCommand()
        let line = ([command.executable] + command.arguments).joined(separator: " ")
        return try Command(
            "script",
            ["--quiet", "--return", "--flush", "--command", line, "/dev/null"],
            environment: command.environment
                .merging([
                    "TERM": "xterm", "LANG": "C.UTF-8", "COLUMNS": "80", "LINES": "24",
                ]) { $1 }
                .merging(environment) { $1 },
            workingFolder: job.folder.path
        ).start()
    }

    /// A server whose reply to `/slow` stops in the middle until the gate opens.
    private func slowServer(_ rest: Gate) throws -> (ScriptedServer, JobFolder) {
        let body = [UInt8](repeating: 1, count: 1000)
        let server = try ScriptedServer([
            "/slow": [.cut(body, after: 250, then: [.wait(rest), .send(Array(body[250...]))])]
        ])
        let job = try JobFolder(
            "version: 1\ndownloads:\n  slow: { url: \(server.url("/slow")), to: slow.bin }\n"
        )
        return (server, job)
    }

    @Test func `on a terminal a bar is drawn, drawn again and erased at the end`() throws {
        let rest = try Gate()
        let (server, job) = try slowServer(rest)
        let running = try runInTerminal(job)
        _ = try running.waitForLine(containing: "25%")
        rest.open()
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 0)
        let text = run.command.standardOutput
        #expect(text.contains("slow"))
        // The start of the picture's first line, and clear to the end of the screen.
        let erasures = text.matches(of: try Regex("\u{1B}\\[1K\u{1B}\\[J\r"))
        #expect(!erasures.isEmpty)
        let end = try #require(erasures.last).range.upperBound
        #expect(!text[end...].contains("25%"))
        #expect(text[end...].contains("1 of 1 tasks succeeded"))
        #expect(server.requests.count == 1)
    }

    @Test func `a dumb terminal gets lines and NO_COLOR no colour`() throws {
        for (environment, wantsColour) in [
            (["TERM": "dumb"], false), (["NO_COLOR": "1"], false), ([:], true),
        ] as [([String: String?], Bool)] {
            let server = try server()
            let job = try job(server)
            let outcome = try runInTerminal(job, environment: environment).finish()
            #expect(outcome.status == .exit(1))
            #expect(outcome.standardOutput.contains("\u{1B}[31m") == wantsColour)
        }
    }
}
