import TestSupport
import Testing

@Suite struct DetachTests {
    /// A job with one request that stays open until the gate does.
    private struct Held {
        let job: JobFolder
        let arrived: Gate
        let rest: Gate
        let server: ScriptedServer

        init() throws {
            let (arrived, rest) = (try Gate(), try Gate())
            server = try ScriptedServer { _ in
                Reply([.open(arrived), .wait(rest)]) + Reply.ok("done").steps
            }
            job = try JobFolder(
                """
                version: 1
                schedule: { lock: fail }
                hooks: { onFinish: [./hook] }
                data: { a: { url: \(server.url("/a")) } }
                """
            )
            try job.folder.write(
                "#!/bin/sh\necho $RUNNER_HOOK_EXIT_CODE > ended.new && mv ended.new ended\n",
                to: "hook",
                mode: 0o755
            )
            (self.arrived, self.rest) = (arrived, rest)
        }

        func detach(environment: [String: String?] = [:]) throws -> Command.Outcome {
            try job.runCommand(["--detach"], environment: environment).run()
        }
    }

    /// The value after a word in the output of `--detach`.
    private func value(_ name: String, in outcome: Command.Outcome) -> String? {
        outcome.standardOutput.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .map { String($0.dropFirst(name.utf8.count + 1)) }
    }

    private let logs = ".local/state/runner/logs"

    @Test func `a detached run outlives its starter and leaves a report and a log`()
        throws
    {
        let held = try Held()
        let outcome = try held.detach()
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        try held.arrived.wait()
        let process = try #require(value("process", in: outcome).flatMap(Int32.init))
        #expect(value("report", in: outcome) == held.job.folder.path("report.json"))
        let log = try #require(value("log", in: outcome))
        #expect(log.hasPrefix(held.job.folder.path(logs)))
        // A session of its own.
        let session = try Command("ps", ["-o", "sid=", "-p", "\(process)"]).run()
        #expect(session.standardOutput.filter(\.isNumber) == "\(process)")
        held.rest.open()
        try held.job.folder.waitForSize(of: "ended", 2)
        #expect(try held.job.folder.text("ended") == "0\n")
        let report = try JSONValue(bytes: held.job.folder.read("report.json"))
        #expect(report["summary"]?["exitCode"]?.integer == 0)
        #expect(try held.job.folder.list(logs).count == 1)
        #expect(held.server.requests.count == 1)
    }

    @Test func `the lock that another run has is known before the starter ends`() throws {
        let held = try Held()
        #expect(try held.detach().status == .exit(0))
        try held.arrived.wait()
        let second = try held.detach()
        #expect(second.status == .exit(10))
        #expect(second.standardError.contains("holds the lock: nothing was done"))
        #expect(second.standardOutput.isEmpty)
        // A run that has not begun leaves no log.
        #expect(try held.job.folder.list(logs).count == 1)
        held.rest.open()
        try held.job.folder.waitForSize(of: "ended", 2)
    }

    @Test func `an invalid job ends with 3 and leaves nothing behind`() throws {
        let job = try JobFolder("version: 1\ndata: { a: { url: x } }\n")
        let outcome = try job.runCommand(["--detach"]).run()
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.contains("job.yaml:2:"))
        #expect(try job.folder.list(logs).isEmpty)
        #expect(!job.folder.contains("report.json"))
    }

    @Test(arguments: [true, false])
    func `a detached run gets a scope of the user's manager where possible`(works: Bool) throws {
        let held = try Held()
        try held.job.folder.makeFolder("bin")
        try held.job.folder.makeFolder("runtime")
        try held.job.folder.makeFolder("runtime/systemd")
        try held.job.folder.write("", to: "runtime/systemd/private")
        // Replaces the real program, which needs a manager.
        try held.job.folder.write(
            """
            #!/bin/sh
            echo "$*" > asked
            \(works ? "" : "echo Failed to connect to bus >&2; exit 1")
            while [ "$1" != -- ]; do shift; done
            shift
            exec "$@"
            """,
            to: "bin/systemd-run",
            mode: 0o755
        )
        let outcome = try held.detach(environment: [
            "PATH": held.job.folder.path("bin") + ":/usr/bin:/bin",
            "XDG_RUNTIME_DIR": held.job.folder.path("runtime"),
        ])
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        try held.arrived.wait()
        #expect(try held.job.folder.text("asked").hasPrefix("--user --scope"))
        held.rest.open()
        try held.job.folder.waitForSize(of: "ended", 2)
        #expect(try held.job.folder.list(logs).count == 1)
    }

    @Test func `a silent user manager delays a detached run for seconds only`()
        throws
    {
        let held = try Held()
        try held.job.folder.makeFolder("bin")
        try held.job.folder.makeFolder("runtime")
        try held.job.folder.makeFolder("runtime/systemd")
        try held.job.folder.write("", to: "runtime/systemd/private")
        try held.job.folder.write(
            "#!/bin/sh\nexec sleep 1000\n",
            to: "bin/systemd-run",
            mode: 0o755
        )
        let outcome = try held.detach(environment: [
            "PATH": held.job.folder.path("bin") + ":/usr/bin:/bin",
            "XDG_RUNTIME_DIR": held.job.folder.path("runtime"),
        ])
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        #expect(outcome.standardError.contains("gave no scope within 3 s"))
        try held.arrived.wait()
        held.rest.open()
        try held.job.folder.waitForSize(of: "ended", 2)
        #expect(try held.job.folder.list(logs).count == 1)
    }
}
