import Glibc
import TestSupport
import Testing

@Suite struct ExitCodeTests {
    /// Tasks that end differently, and the exit code of their run.
    struct Precedence: Sendable {
        var ends: [String]
        var code: Int32
    }

    /// An origin with every kind of response, and a closed port.
    private struct Ends {
        let server: ScriptedServer
        let closed: ClosedPort

        init() throws {
            server = try ScriptedServer([
                "/good": [.ok("good")],
                "/stall": [Reply([.waitForPeerToLeave])],
            ])
            closed = try ClosedPort()
        }

        /// A task of the section `downloads` that ends like its name.
        func download(_ end: String) -> String {
            let wrong = String(repeating: "0", count: 64)
            return switch end {
            case "missing": "missing: { url: \(server.url("/none")), to: missing.bin }"
            case "refused":
                "refused: { url: \(closed.origin)/, to: refused.bin, "
                    + "retry: { attempts: 2, backoff: { initial: 1ms } } }"
            case "wrong":
                "wrong: { url: \(server.url("/good")), to: wrong.bin, "
                    + "checksum: \"sha256:\(wrong)\", retry: { attempts: 1 } }"
            case "unwritable":
                "unwritable: { url: \(server.url("/good")), to: job.yaml/x.bin }"
            case "late": "late: { url: \(server.url("/stall")), to: late.bin }"
            default: "good: { url: \(server.url("/good")), to: good.bin }"
            }
        }

        func job(_ ends: [String], schedule: String = "{ maxConcurrentTasks: 8 }") throws
            -> JobFolder
        {
            let lines = ends.map { "  " + download($0) }.joined(separator: "\n")
            return try JobFolder("version: 1\ndownloads:\n\(lines)\nschedule: \(schedule)\n")
        }
    }

    @Test func `0 when every required task succeeded`() throws {
        let ends = try Ends()
        let job = try ends.job(["good"])
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.outcome("good") == "succeeded")
        #expect(try job.folder.text("good.bin") == "good")
        #expect(run.command.standardOutput.isEmpty)
    }

    @Test func `1 when a task got a 404`() throws {
        let ends = try Ends()
        let job = try ends.job(["missing", "good"])
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.kind("missing") == "httpStatus")
        #expect(run.attempts("missing").count == 1)
        #expect(run.outcome("good") == "succeeded")
        #expect(!job.folder.contains("missing.bin"))
    }

    @Test func `4 when a variable of the environment is missing, named with its place`() throws {
        let job = try JobFolder("version: 1\ndata:\n  a: { url: \"${env.NOT_SET_ANYWHERE}\" }\n")
        let outcome = try job.runCommand().run()
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains("job.yaml:3:"))
        #expect(outcome.standardError.contains("NOT_SET_ANYWHERE"))
        #expect(!job.folder.contains("report.json"))
    }

    @Test func `4 when a file to upload is missing, before anything is sent`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let job = try JobFolder(
            """
            version: 1
            data: { first: { url: \(server.url("/")) } }
            uploads: { order: { url: \(server.url("/")), file: nowhere.json } }
            """
        )
        let outcome = try job.runCommand().run()
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains("job.yaml:3:"))
        #expect(server.requests.isEmpty)
    }

    @Test func `4 when the destination's folder cannot be written`() throws {
        let ends = try Ends()
        let job = try ends.job(["unwritable"])
        let run = try job.run()
        #expect(run.code == 4)
        #expect(run.kind("unwritable") == "localIO")
    }

    @Test func `4 when a path of this machine does not serve`() throws {
        let job = try JobFolder("")
        try job.folder.makeFolder("in")
        try job.folder.write("secret", to: "secret")
        try job.folder.link("in/link", to: "../secret")
        let link = job.folder.path("in/link")
        for (task, reason) in [
            ("url: \"data:,x\", to: /dev/null", "it is a device, which a file would replace"),
            (
                "url: \"file://\(link)\", to: out",
                "it leads out of the folders that the session allows"
            ),
        ] {
            try job.folder.write(
                """
                version: 1
                defaults: { allowsReadAccessTo: [in] }
                downloads: { a: { \(task) } }
                """,
                to: "job.yaml"
            )
            let run = try job.run()
            #expect(run.code == 4, "\(run.command.standardError)")
            let message = run.task("a")?["error"]?["message"]?.string ?? ""
            #expect(message.contains(reason), "\(message)")
        }
    }

    @Test func `4 when the destination is a mount point`() throws {
        let job = try JobFolder("version: 1\ndownloads: { a: { url: \"data:,x\", to: out.txt } }\n")
        for name in ["host.txt", "out.txt"] { try job.folder.write("old", to: name) }
        let command = try job.runCommand()
        let script = "mount --bind host.txt out.txt && exec \"$@\""
        let outcome = try Command(
            "unshare",
            (geteuid() == 0 ? ["-m"] : ["-rm"]) + ["sh", "-c", script, "sh", command.executable]
                + command.arguments,
            environment: command.environment,
            workingFolder: job.folder.path
        ).run()
        let run = try outcome.reported(in: job.folder)
        #expect(run.code == 4)
        let help = run.task("a")?["error"]?["help"]?.string ?? ""
        #expect(help.contains("a mount point"), "\(outcome.standardError)")
        #expect(try job.folder.text("host.txt") == "old")
    }

    @Test(arguments: ["job.yaml/report.json", "/proc/report.json"])
    func `4 when the report cannot be written, before anything is sent`(path: String) throws {
        let ends = try Ends()
        let job = try ends.job(["good"])
        let outcome = try job.runner(["run", "job.yaml", "--report", path])
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains("runner: the report `json`: cannot"))
        #expect(ends.server.requests.isEmpty)
        #expect(!job.folder.contains("good.bin"))
    }

    @Test(arguments: [("good", 4), ("missing", 4), ("wrong", 6)] as [(String, Int32)])
    func `4 when the report cannot be finished, unless a task's failure is graver`(
        end: String,
        code: Int32
    ) throws {
        let (begun, rest) = (try Gate(), try Gate())
        let hold = try ScriptedServer { _ in
            Reply([.open(begun), .wait(rest)]) + Reply.ok("x").steps
        }
        let ends = try Ends()
        let job = try ends.job([end])
        let text = try job.folder.text("job.yaml")
        try job.folder.write("\(text)data: { hold: { url: \(hold.url("/")) } }\n", to: "job.yaml")
        let running = try job.command(["run", "job.yaml", "--report", "rep/d.json"]).start()
        try begun.wait()
        let removal = Command("rmdir", ["rep"], workingFolder: job.folder.path)
        #expect(try removal.run().status == .exit(0))
        rest.open()
        let outcome = try running.finish()
        #expect(outcome.status == .exit(code))
        #expect(outcome.standardError.contains(" rep/d.json: No such file or directory"))
    }

    @Test(arguments: ["run", "validate", "plan"])
    func `4 when there is no job file`(subcommand: String) throws {
        let job = try JobFolder("")
        let outcome = try job.runner([subcommand, "nowhere.yaml"])
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains("nowhere.yaml: No such file or directory"))
    }

    @Test func `5 when a connection is refused, after all attempts`() throws {
        let ends = try Ends()
        let run = try ends.job(["refused"]).run()
        #expect(run.code == 5)
        #expect(run.kind("refused") == "connect")
        #expect(run.attempts("refused").map { $0["outcome"]?.string } == ["failed", "failed"])
    }

    @Test func `6 when a checksum is wrong, and nothing has the final name`() throws {
        let ends = try Ends()
        let job = try ends.job(["wrong"])
        let run = try job.run()
        #expect(run.code == 6)
        #expect(run.kind("wrong") == "integrity")
        #expect(try job.folder.list() == ["job.yaml", "report.json"])
    }

    @Test func `a wrong checksum leaves the older file unchanged`() throws {
        let ends = try Ends()
        let job = try ends.job(["wrong"])
        try job.folder.write("older", to: "wrong.bin")
        #expect(try job.run().code == 6)
        #expect(try job.folder.text("wrong.bin") == "older")
    }

    @Test func `8 when the deadline passes before all tasks have ended`() throws {
        let ends = try Ends()
        let job = try ends.job(["late"], schedule: "{ deadline: 50ms }")
        let run = try job.run()
        #expect(run.code == 8)
        #expect(run.outcome("late") == "cancelled")
        #expect(!job.folder.contains("late.bin"))
    }

    @Test(arguments: [
        Precedence(ends: ["wrong", "unwritable", "missing", "refused"], code: 6),
        Precedence(ends: ["unwritable", "missing", "refused"], code: 4),
        Precedence(ends: ["refused", "missing", "good"], code: 1),
        Precedence(ends: ["refused", "good"], code: 5),
    ])
    func `the gravest of several outcomes decides the code`(_ all: Precedence) throws {
        let ends = try Ends()
        let run = try ends.job(all.ends).run()
        #expect(run.code == all.code)
        #expect(run.report["tasks"]?.elements.count == all.ends.count)
    }

    @Test(arguments: [
        Precedence(ends: ["refused", "late"], code: 8),
        Precedence(ends: ["missing", "late"], code: 1),
    ])
    func `a deadline outweighs only temporary failures`(_ all: Precedence) throws {
        let ends = try Ends()
        let job = try ends.job(all.ends, schedule: "{ deadline: 5s }")
        #expect(try job.run().code == all.code)
    }

    @Test func `a failed optional task does not change the exit code`() throws {
        let server = try ScriptedServer(["/good": [.ok("good")]])
        let job = try JobFolder(
            """
            version: 1
            data:
              good: { url: \(server.url("/good")) }
              extra: { url: \(server.url("/none")), required: false }
            """
        )
        let run = try job.run()
        #expect(run.code == 0)
        #expect(run.outcome("extra") == "failed")
    }
}
