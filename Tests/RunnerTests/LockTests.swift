import TestSupport
import Testing

@Suite struct LockTests {
    /// A job with one request that stays open until the gate does.
    private struct Held {
        let job: JobFolder
        let server: ScriptedServer
        private let arrived: Gate
        private let rest: Gate

        init(_ lock: String, job more: String = "") throws {
            let (arrived, rest) = (try Gate(), try Gate())
            server = try ScriptedServer { _ in
                Reply([.open(arrived), .wait(rest)]) + Reply.ok("done").steps
            }
            job = try JobFolder(
                """
                version: 1
                schedule: { lock: \(lock) }
                data:
                  a: { url: \(server.url("/a")) }
                \(more)
                """
            )
            (self.arrived, self.rest) = (arrived, rest)
        }

        /// Starts the run that has the lock.
        func hold(_ command: Command? = nil) throws -> RunningCommand {
            let running = try (command ?? job.runCommand()).start()
            try arrived.wait()
            return running
        }

        func release() { rest.open() }

        /// A run of the same job whose report would be a file of its own.
        func second(_ arguments: String...) throws -> Command {
            try job.command(["run", "job.yaml", "--report", "second.json"] + arguments)
        }

        /// The number that the lock's file has.
        func holder() throws -> String {
            let folder = ".local/state/runner/locks"
            let name = try #require(try job.folder.list(folder).first)
            let note = try job.folder.text("\(folder)/\(name)")
            return String(note.prefix { $0 != " " })
        }
    }

    @Test(arguments: [[], ["--only", "a"], ["--var", "x=1"]])
    func `the second run of a job only names the first one`(
        arguments: [String]
    ) throws {
        let held = try Held("fail", job: "variables: { x: 0 }")
        let first = try held.hold()
        let command = try held.job.command(
            ["run", "job.yaml", "--report", "second.json"] + arguments
        )
        let second = try command.run()
        #expect(second.status == .exit(10))
        let process = try held.holder()
        #expect(
            second.standardError
                == "runner: another run of `job` (process \(process)) holds the lock: nothing was done\n"
        )
        #expect(!held.job.folder.contains("second.json"))
        #expect(held.server.requests.count == 1)
        held.release()
        #expect(try first.finish().reported(in: held.job.folder).code == 0)
        #expect(try command.run().reported(in: held.job.folder, as: "second.json").code == 0)
    }

    @Test func `twenty starts during a run do nothing`() throws {
        let held = try Held("fail")
        let first = try held.hold()
        let before = try held.job.folder.list(".local/state/runner/locks")
        let starts = try (0..<20).map { _ in try held.second().start() }
        let statuses = try starts.map { try $0.finish() }
        #expect(statuses.allSatisfy { $0.status == .exit(10) })
        #expect(held.server.requests.count == 1)
        #expect(try held.job.folder.list(".local/state/runner/locks") == before)
        #expect(try held.job.folder.list() == [".local", "job.yaml"])
        held.release()
        #expect(try first.finish().reported(in: held.job.folder).code == 0)
    }

    @Test func `a run that is skipped is no failure`() throws {
        let held = try Held("skip")
        let first = try held.hold()
        let second = try held.second().run()
        #expect(second.status == .exit(0))
        #expect(second.standardError.hasSuffix("is in progress: nothing was done\n"))
        let silent = try held.second("--progress", "none").run()
        #expect(silent.status == .exit(0))
        #expect(silent.standardError.isEmpty)
        #expect(!held.job.folder.contains("second.json"))
        held.release()
        #expect(try first.finish().status == .exit(0))
    }

    @Test func `a waiting run starts when the other run has ended`() throws {
        let held = try Held("wait 1h")
        let first = try held.hold()
        let second = try held.second().start()
        _ = try second.waitForLine(containing: "waiting: another run")
        held.release()
        #expect(try first.finish().status == .exit(0))
        #expect(try second.finish().reported(in: held.job.folder, as: "second.json").code == 0)
        #expect(held.server.requests.count == 2)
    }

    /// The change of the job's file during the wait, and the result of the run that waited.
    @Test(arguments: [
        ("s,/a,/b,", 0, ["/a", "/b"]), ("s/^version/name: other\\nversion/", 0, ["/a", "/a"]),
        ("s/schedule/# schedule/", 0, ["/a", "/a"]), ("s/url/ulr/", 3, ["/a"]),
        ("s/version: 1/version: \"/", 3, ["/a"]),
    ])
    func `a run reads the job file again after it has waited for the lock`(
        change: String,
        code: Int32,
        paths: [String]
    ) throws {
        let held = try Held("wait")
        let first = try held.hold()
        let second = try held.second().start()
        _ = try second.waitForLine(containing: "waiting: another run")
        let file = held.job.folder.path("job.yaml")
        #expect(try Command("sed", ["-i", change, file]).run().status == .exit(0))
        held.release()
        #expect(try first.finish().status == .exit(0))
        let outcome = try second.finish()
        #expect(outcome.status == .exit(code), "\(outcome.standardError)")
        #expect(held.server.requests.map(\.path) == paths)
        if code == 0 { _ = try outcome.reported(in: held.job.folder, as: "second.json") }
    }

    @Test func `a vain wait ends as a failure`() throws {
        let held = try Held("wait 1ms")
        let first = try held.hold()
        let second = try held.second().run()
        #expect(second.status == .exit(10))
        #expect(second.standardError.contains("still holds the lock: nothing was done"))
        held.release()
        #expect(try first.finish().status == .exit(0))
    }

    @Test(arguments: SignalTests.signals)
    func `a signal ends the wait, and no report is left`(signal: Int32, code: Int32) throws {
        let held = try Held("wait")
        let first = try held.hold()
        let second = try held.second().start()
        _ = try second.waitForLine(containing: "waiting: another run")
        second.signal(signal)
        #expect(try second.finish().status == .exit(code))
        #expect(!held.job.folder.contains("second.json"))
        held.release()
        #expect(try first.finish().status == .exit(0))
    }

    @Test func `a signal that arrives with the lock is not lost`() throws {
        let held = try Held("wait")
        let first = try held.hold()
        let second = try held.second().start()
        _ = try second.waitForLine(containing: "waiting: another run")
        // The process finds both when it continues (SIGSTOP, SIGCONT), in an unknown order.
        second.signal(19)
        first.signal(9)
        #expect(try first.finish().status == .signal(9))
        second.signal(15)
        second.signal(18)
        #expect(try second.finish().status == .exit(143))
        held.release()
    }

    @Test(arguments: ["\u{1B}[31mred\n", "17\n", "17 - here\n", "-1 pid:[1]@x here\n"])
    func `a note that says no process of a known place is not shown`(note: String) throws {
        let held = try Held("fail")
        let first = try held.hold()
        let folder = ".local/state/runner/locks"
        let name = try #require(try held.job.folder.list(folder).first)
        try held.job.folder.write(note, to: "\(folder)/\(name)")
        let second = try held.second().run()
        #expect(second.status == .exit(10))
        #expect(
            second.standardError
                == "runner: another run of `job` holds the lock: nothing was done\n"
        )
        held.release()
        #expect(try first.finish().status == .exit(0))
    }

    @Test func `a holder in another PID namespace is shown as one of another place`() throws {
        let held = try Held("fail")
        var command = try held.job.runCommand()
        command.arguments = ["-Urpf", command.executable] + command.arguments
        command.executable = "unshare"
        let first = try held.hold(command)
        let second = try held.second().run()
        #expect(second.status == .exit(10))
        let host = try Command("hostname").run().standardOutput.dropLast()
        #expect(
            second.standardError
                == "runner: another run of `job` (process 1 of another container or machine, "
                + "\(host)) holds the lock: nothing was done\n"
        )
        held.release()
        #expect(try first.finish().status == .exit(0))
    }

    @Test func `a killed run has no lock any more`() throws {
        let held = try Held("fail")
        let first = try held.hold()
        first.signal(9)
        #expect(try first.finish().status == .signal(9))
        held.release()
        #expect(try held.second().run().status == .exit(0))
    }

    @Test func `a command that outlives its run does not hold the lock`() throws {
        let gone = try Gate()
        let server = try ScriptedServer(["/": [Reply([.open(gone), .waitForPeerToLeave])]])
        let job = try JobFolder(
            """
            version: 1
            schedule: { lock: fail }
            uploads:
              a: { url: \(server.url("/")), stream: { command: [./outlive] } }
            """
        )
        // Ignores the end of its pipe's reader until the test lets it go, or its folder is gone.
        try job.folder.write(
            """
            #!/bin/sh
            trap '' PIPE TERM
            echo begun >&2
            while [ -e outlive ] && [ ! -e end ]; do sleep 0.05; done
            touch ended
            """,
            to: "outlive",
            mode: 0o755
        )
        let first = try job.runCommand().start()
        _ = try first.waitForLine(containing: "begun")
        first.signal(9)
        #expect(try first.finish().status == .signal(9))
        // The lock is free, though the command still runs: the second run starts another one.
        let second = try job.runCommand().start()
        _ = try second.waitForLine(containing: "begun")
        #expect(!job.folder.contains("ended"))
        try job.folder.write("", to: "end")
        second.signal(9)
        #expect(try second.finish().status == .signal(9))
    }

    @Test func `jobs of other names and other files have locks of their own`() throws {
        let held = try Held("fail", job: "name: one")
        let first = try held.hold()
        let text = try held.job.folder.text("job.yaml")
        try held.job.folder.write(text, to: "other.yaml")
        held.release()
        let other = try held.job.command(["run", "other.yaml", "--report", "other.json"]).run()
        #expect(other.status == .exit(0))
        #expect(try first.finish().status == .exit(0))
        let locks = try held.job.folder.list(".local/state/runner/locks")
        #expect(locks.count == 2)
        #expect(locks.allSatisfy { $0.hasPrefix("one-") && $0.hasSuffix(".lock") })
    }

    @Test func `a link with another name leads to the lock of its file`() throws {
        let held = try Held("fail")
        let first = try held.hold()
        for link in ["nightly.yaml", "weekly.yml"] {
            _ = try Command("ln", ["-s", "job.yaml", held.job.folder.path(link)]).run()
            let other = try held.job.command(["run", link, "--report", "other.json"]).run()
            #expect(other.status == .exit(10))
            #expect(other.standardError.contains("another run of `job`"))
        }
        held.release()
        #expect(try first.finish().status == .exit(0))
    }

    @Test func `an invalid job ends with 3 and leaves the lock to the next run`() throws {
        let job = try JobFolder("version: 1\nschedule: { lock: fail }\ndata: { a: { url: x } }\n")
        #expect(try job.runner(["run", "job.yaml"]).status == .exit(3))
        #expect(try job.runner(["run", "job.yaml"]).status == .exit(3))
        #expect(try job.runner(["validate", "job.yaml"]).status == .exit(3))
    }

    @Test func `a lock without a folder for it is a fault of the environment`() throws {
        let job = try JobFolder("version: 1\nschedule: { lock: fail }\n")
        try job.folder.write("a file", to: "taken")
        let outcome = try job.runCommand(["--state-dir", "taken/state"]).run()
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains("--state-dir"))
        #expect(!job.folder.contains("report.json"))
    }

    @Test func `of a crowd of starts one runs and the others end at once`() throws {
        let held = try Held("fail")
        let first = try held.hold()
        for _ in 0..<3 {
            let crowd = try (0..<20).map { _ in try held.second().start() }
            for one in crowd { #expect(try one.finish().status == .exit(10)) }
        }
        #expect(held.server.requests.count == 1)
        #expect(!held.job.folder.contains("second.json"))
        held.release()
        #expect(try first.finish().reported(in: held.job.folder).code == 0)
    }
}
