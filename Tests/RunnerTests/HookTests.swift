import TestSupport
import Testing
import TransferModel

@Suite struct HookTests {
    /// Writes the hook's variables to `told`, a line for each call.
    private static let script = """
        #!/bin/sh
        echo "$RUNNER_HOOK_EXIT_CODE $RUNNER_HOOK_JOB $RUNNER_HOOK_IDENTIFIERS $*" >> told
        test -z "$RUNNER_HOOK_REPORT" && echo none >> told
        test -s "$RUNNER_HOOK_REPORT" && grep -q "$RUNNER_HOOK_RUN" "$RUNNER_HOOK_REPORT" && echo good >> told
        """

    private func job(
        _ server: ScriptedServer,
        _ hooks: String = "onFinish: [./hook, one, two words]",
        script: String = script,
        more: String = ""
    ) throws -> JobFolder {
        let job = try JobFolder(
            """
            version: 1
            name: nightly
            hooks: { \(hooks) }
            defaults: { retry: { attempts: 1 } }
            \(more)
            uploads: { a: { url: \(server.url("/a")), text: a } }
            """
        )
        try job.folder.write(script, to: "hook", mode: 0o755)
        return job
    }

    private let background =
        "sessions: { s: { configuration: background, identifier: nightly } }"

    @Test(arguments: [(201, 0), (402, 1), (429, 5)])
    func `a hook gets the outcome of the run after the report is written`(
        status: Int,
        code: Int32
    ) throws {
        let server = try ScriptedServer(["/a": [.status(status)]])
        let job = try job(server)
        #expect(try job.run().code == code)
        #expect(try job.folder.text("told") == "\(code) nightly  one two words\ngood\n")
    }

    @Test func `a run that cannot begin has ended, too`() throws {
        let server = try ScriptedServer(["/a": [.status(201)]])
        let job = try job(
            server,
            more:
                "secrets: { s: { file: nowhere } }\ndata: { b: { url: \"https://a.test\", headers: { X: \"${secret.s}\" } } }"
        )
        #expect(try job.run().code == 4)
        #expect(try job.folder.text("told") == "4 nightly  one two words\ngood\n")
        #expect(server.requests.isEmpty)
    }

    @Test func `a run without a report has ended, too`() throws {
        let server = try ScriptedServer(["/a": [.status(201)]])
        let job = try job(server)
        try job.folder.write("", to: "file")
        let run = try job.runner(["run", "job.yaml", "--report", "file/report.json"])
        #expect(run.status == .exit(4))
        #expect(try job.folder.text("told") == "4 nightly  one two words\nnone\n")
        #expect(server.requests.isEmpty)
    }

    @Test func `a run whose report cannot be written has ended, too`() throws {
        let (arrived, rest) = (try Gate(), try Gate())
        let server = try ScriptedServer([
            "/a": [Reply([.open(arrived), .wait(rest)]) + Reply.status(201).steps]
        ])
        let job = try job(server)
        try job.folder.makeFolder("reports")
        let running = try job.command(["run", "job.yaml", "--report", "reports/a.json"]).start()
        try arrived.wait()
        let removal = Command("rm", ["-r", job.folder.path("reports")])
        #expect(try removal.run().status == .exit(0))
        rest.open()
        #expect(try running.finish().status == .exit(4))
        #expect(try job.folder.text("told") == "4 nightly  one two words\nnone\n")
    }

    @Test func `a failed hook is reported and changes no exit code`() throws {
        let server = try ScriptedServer(["/a": [.status(201)]])
        let failing = try job(server, script: "#!/bin/sh\necho words\necho fault >&2\nexit 3\n")
        let run = try failing.run()
        #expect(run.code == 0)
        #expect(run.command.standardError.contains("words\n"))
        #expect(run.command.standardError.contains("fault\n"))
        #expect(
            run.command.standardError.hasSuffix(
                "runner: warning: the hook `onFinish` ended with status 3\n"
            )
        )
        let missing = try job(server, "onFinish: [./nowhere]")
        let second = try missing.run()
        #expect(second.code == 0)
        #expect(
            second.command.standardError.contains("the hook `onFinish`: cannot start ./nowhere")
        )
    }

    @Test func `a hook that does not end is killed`() throws {
        let server = try ScriptedServer(["/a": [.status(201)]])
        let job = try job(
            server,
            "onFinish: [./hook], timeout: 10ms",
            script: "#!/bin/sh\nexec sleep 1000\n"
        )
        let run = try job.run()
        #expect(run.code == 0)
        #expect(run.command.standardError.contains("the hook `onFinish` did not end in time"))
    }

    @Test func `the runner does not wait for processes that a hook leaves running`() throws {
        let server = try ScriptedServer(["/a": [.status(201)]])
        let job = try job(server, script: "#!/bin/sh\nsleep 1000 &\necho $! > child\n")
        #expect(try job.run().code == 0)
        let child = try job.folder.text("child").filter(\.isNumber)
        #expect(try Command("kill", [child]).run().status == .exit(0))
    }

    @Test func `a signal ends the hook`() throws {
        let server = try ScriptedServer(["/a": [.status(201)]])
        let job = try job(server, script: "#!/bin/sh\necho waits\nexec sleep 1000\n")
        let running = try job.runCommand().start()
        _ = try running.waitForLine(containing: "waits")
        running.signal(15)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 0)
        #expect(run.command.standardError.contains("was ended by signal 9"))
    }

    @Test func `a hook does not see the secrets of the job`() throws {
        let server = try ScriptedServer(["/a": [.status(201)]])
        let job = try job(
            server,
            script: "#!/bin/sh\nenv > environment\necho s3cr3t-value\n",
            more: "secrets: { t: { env: TOKEN } }"
        )
        let run = try job.run(environment: ["TOKEN": "s3cr3t-value", "OTHER": "seen"])
        #expect(run.code == 0)
        let environment = try job.folder.text("environment")
        #expect(environment.contains("OTHER=seen"))
        #expect(!environment.contains("s3cr3t"))
        #expect(!run.command.standardError.contains("s3cr3t"))
        #expect(!environment.contains("RUNNER_REPORT="))
    }

    @Test func `a hook's output is shown by lines, without secrets or commands`() throws {
        let server = try ScriptedServer(["/a": [.status(201)]])
        let job = try job(
            server,
            script: """
                #!/bin/sh
                head -c 16370 /dev/zero | tr '\\0' x; echo; cat lines lines; cat lines >&2
                printf 'U3VwZXJTZWNy\\nZXRUb2tlbjk5\\n::error::x\\033[31m\\n'
                """,
            more: "secrets: { t: { env: TOKEN } }"
        )
        // A line longer than any buffer: every cut is within a secret.
        let line = String(repeating: "SuperSecretToken99-", count: 20_000)
        try job.folder.write("U3VwZXJTZWNyZXRUb2tlbjk5 \(line)end\n", to: "lines")
        let run = try job.run("--progress", "none", environment: ["TOKEN": "SuperSecretToken99"])
        #expect(run.code == 0)
        let text = run.command.standardError
        #expect(!text.contains("Super") && !text.contains("oken99") && !text.contains("U3VwZX"))
        #expect(!text.contains("ZXRUb2tl") && text.contains("‹redacted›-‹redacted›-"))
        #expect(text.contains(#"\u{3A}:error::x\u{1B}[31m"#))
    }

    @Test func `the next run of a background session runs a missed hook before it sends`()
        throws
    {
        let server = try ScriptedServer(["/a": [.status(201)]])
        // The kill happens during the hook, so that the hook's progress is unknown.
        let job = try job(
            server,
            script: """
                #!/bin/sh
                test -e go || {
                    echo waits
                    while [ -e job.yaml ] && [ ! -e go ]; do sleep 0.05; done
                    exit
                }
                \(Self.script)
                """,
            more: background
        )
        let running = try job.runCommand().start()
        _ = try running.waitForLine(containing: "waits")
        running.signal(9)
        #expect(try running.finish().status == .signal(9))
        try job.folder.write("", to: "go")
        let second = try job.runner(["run", "job.yaml", "--report", "second.json"])
        #expect(second.status == .exit(0))
        // That of the first run, and its own.
        #expect(
            try job.folder.text("told")
                == String(repeating: "0 nightly nightly one two words\ngood\n", count: 2)
        )
        // The round was not over, and accepted orders are not sent again.
        #expect(server.requests.count == 1)
        #expect(try job.run().code == 0)
        #expect(server.requests.count == 2)
    }

    @Test func `an order whose run is killed during its report keeps its key`() throws {
        let server = try ScriptedServer(["/a": [.status(201)]])
        let job = try JobFolder(
            """
            version: 1
            hooks: { onFinish: [sh, -c, "test -e go || { echo waits; exec sleep 1000; }"] }
            uploads: { a: { url: \(server.url("/a")), text: a, idempotencyKey: auto } }
            """
        )
        let running = try job.runCommand().start()
        _ = try running.waitForLine(containing: "waits")
        running.signal(9)
        #expect(try running.finish().status == .signal(9))
        try job.folder.write("", to: "go")
        #expect(try job.run().code == 0)
        #expect(Set(server.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(try job.run().code == 0)
        #expect(Set(server.requests.map { $0.headers["Idempotency-Key"] }).count == 2)
    }
}
