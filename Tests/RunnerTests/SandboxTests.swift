import Glibc
import TestSupport
import Testing

/// Runs where something that is usually there is missing.
@Suite struct SandboxTests {
    private let server: ScriptedServer
    private let job: JobFolder

    init() throws {
        server = try ScriptedServer { _ in .ok("abc", ["Set-Cookie: a=b; Max-Age=100"]) }
        job = try JobFolder(
            """
            version: 1
            downloads: { a: { url: \(server.url("/a")), to: out/a } }
            """
        )
    }

    /// The command in a mount namespace that a script has changed.
    private func command(_ arguments: [String], after script: String) throws -> Command {
        var command = try job.command(arguments)
        command.arguments =
            ["-Urm", "sh", "-c", "\(script) && exec \"$0\" \"$@\"", command.executable] + arguments
        command.executable = "unshare"
        return command
    }

    @Test func `without /proc a run obeys its arguments`() throws {
        let hide = "mount -t tmpfs none /proc"
        let run = try command(["run", "job.yaml", "--report", "report.json"], after: hide).run()
        #expect(run.status == .exit(0))
        #expect(run.standardOutput.isEmpty)
        #expect(try run.reported(in: job.folder).outcome("a") == "succeeded")
        #expect(try job.folder.text("out/a") == "abc")
        let missing = try command(["run", "none.yaml"], after: hide).run()
        #expect(missing.status == .exit(4))
        #expect(missing.standardError.contains("none.yaml"))
    }

    /// A job that names its report, with an upload large enough to be resumable.
    private func uploadJob(_ more: String = "", task: String = "") throws -> JobFolder {
        let job = try JobFolder(
            """
            version: 1
            report: { json: r.json }
            \(more)
            uploads: { u: { url: \(server.url("/u")), file: body\(task) } }
            """
        )
        try job.folder.write([UInt8](repeating: 7, count: 2 << 20), to: "body")
        return job
    }

    @Test func `without a writable home a job that names its report runs`() throws {
        let job = try uploadJob()
        let home = ["HOME": "/proc/none"]
        let run = try job.command(["run", "job.yaml"], environment: home).run()
        #expect(run.status == .exit(0), "\(run.standardError)")
        #expect(run.standardError.contains("are not kept"))
        #expect(job.folder.contains("r.json"))
        let needs = [("schedule: { lock: fail }", ""), ("", ", idempotencyKey: auto")]
        for (more, task) in needs {
            let job = try uploadJob(more, task: task)
            let run = try job.command(["run", "job.yaml"], environment: home).run()
            #expect(run.status == .exit(4))
            #expect(run.standardError.contains("/proc/none"))
        }
        #expect(server.requests.count == 1)
    }

    @Test(.enabled(if: geteuid() == 0))
    func `without an accessible home a large unkeyed order is sent`() throws {
        let job = try uploadJob()
        try job.folder.makeFolder("home")
        let path = job.folder.path("home/me")
        var command = try job.command(["run", "job.yaml"], environment: ["HOME": path])
        command.arguments =
            [
                "-c",
                "chmod 700 home && chown 54321 . job.yaml body && "
                    + "exec setpriv --reuid 54321 --clear-groups \"$0\" \"$@\"",
                command.executable,
            ] + command.arguments
        command.executable = "sh"
        let run = try command.run()
        #expect(run.status == .exit(0), "\(run.standardError)")
        #expect(
            run.standardError.contains(
                "the state folder \(path)/.local/state/runner is inside a folder that this user may not enter"
            )
        )
        #expect(server.requests.count == 1)
    }

    @Test func `a working folder that is gone is missed by relative paths alone`() throws {
        try job.folder.makeFolder("gone")
        let leave = "cd gone && rmdir ../gone"
        let path = job.folder.path("job.yaml")
        let report = job.folder.path("report.json")
        let run = try command(["run", path, "--report", report], after: leave).run()
        #expect(run.status == .exit(0), "\(run.standardError)")
        #expect(try job.folder.text("out/a") == "abc")
        for arguments in [["run", "job.yaml"], ["run", path, "--report", "r.json"]] {
            try job.folder.makeFolder("gone")
            let run = try command(arguments, after: leave).run()
            #expect(run.status == .exit(4))
            #expect(server.requests.count == 1)
        }
    }
}
