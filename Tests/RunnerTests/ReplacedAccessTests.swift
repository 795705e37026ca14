import Glibc
import TestSupport
import Testing

/// Files of other users that a run replaces.
@Suite(.enabled(if: geteuid() == 0)) struct ReplacedAccessTests {
    private let server: ScriptedServer
    private let job: JobFolder

    init() throws {
        let archive = try TestArchive.make("file('x')")
        server = try ScriptedServer { request in
            request.path == "/archive" ? .ok(archive) : .ok("new")
        }
        job = try JobFolder(
            """
            version: 1
            report: { html: report.html, events: report.jsonl }
            downloads:
              file: { url: "\(server.url("/"))", to: file }
              set: { url: "\(server.url("/"))", to: set, mode: "0604" }
              archive: { url: "\(server.url("/archive"))", to: a.tar, extract: { to: tree, ifExists: replace } }
            data: { answer: { url: "\(server.url("/"))", responseTo: answer } }
            """
        )
    }

    private static let files = ["file", "answer", "report.json", "report.html", "report.jsonl"]

    private func tool(_ words: String...) throws {
        let outcome = try Command("env", words, workingFolder: job.folder.path).run()
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
    }

    private func old(_ names: [String], mode: mode_t, owner: String) throws {
        for name in names {
            try job.folder.write("old", to: name, mode: mode)
            try tool("chown", owner, name)
        }
    }

    /// Owner, group and permissions, such as `1:2 600`.
    private func access(to name: String) throws -> String {
        let stat = Command("stat", ["-c", "%u:%g %a", job.folder.path(name)])
        return String(try stat.run().standardOutput.dropLast())
    }

    @Test(arguments: [("600", 0o600), ("640", 0o640), ("664", 0o664)])
    func `a replaced file keeps its owner, group and mode`(text: String, mode: mode_t) throws {
        try old(Self.files + ["set"], mode: mode, owner: "12345:23456")
        #expect(try job.run().code == 0)
        for name in Self.files {
            #expect(try access(to: name) == "12345:23456 \(text)", "\(name)")
        }
        #expect(try access(to: "set") == "12345:23456 604")
        #expect(try job.folder.text("file") == "new")
    }

    @Test func `a replaced folder keeps its owner, group and mode`() throws {
        try job.folder.makeFolder("tree")
        try job.folder.write("old", to: "tree/old")
        try tool("chmod", "2700", "tree")
        try tool("chown", "12345:23456", "tree")
        #expect(try job.run().code == 0)
        #expect(try job.folder.list("tree") == ["x"])
        #expect(try access(to: "tree") == "12345:23456 2700")
    }

    /// The mode of a file whose owner and group the process may not give, and what is left of it.
    @Test(
        arguments: [
            (0o600, "600"), (0o640, "600"), (0o644, "644"), (0o664, "644"), (0o604, "600"),
            (0o4755, "755"),
        ] as [(mode_t, String)]
    )
    func `a file that cannot keep its owner and group admits no new users`(
        mode: mode_t,
        left: String
    ) throws {
        try old(["file"], mode: mode, owner: "12345:23456")
        try tool("chown", "54321:54321", ".", "job.yaml")
        var command = try job.runCommand(["--only", "file"])
        command.arguments =
            ["--reuid", "54321", "--regid", "54321", "--clear-groups", command.executable]
            + command.arguments
        command.executable = "setpriv"
        let run = try withExtendedLifetime(job) { try command.run() }
        #expect(run.status == .exit(0), "\(run.standardError)")
        #expect(try access(to: "file") == "54321:54321 \(left)")
    }

    @Test(arguments: [("666", "644"), ("600", "600")])
    func `a stranger's file in a folder for all gives its owner nothing`(
        mode: String,
        left: String
    ) throws {
        try tool("chmod", "1777", ".")
        try old(["file"], mode: 0o600, owner: "12345:23456")
        try tool("chmod", mode, "file")
        #expect(try job.run("--only", "file").code == 0)
        #expect(try access(to: "file") == "0:0 \(left)")
    }

    @Test func `a replaced file keeps its access control list`() throws {
        try old(["file"], mode: 0o600, owner: "12345:23456")
        // user::rw-, user:54321:r--, group::---, mask::r--, other::---
        let set = """
            import os, struct, sys
            entries = [(1, 6, -1), (2, 4, 54321), (4, 0, -1), (16, 4, -1), (32, 0, -1)]
            list = b"".join(struct.pack("<HHi", *entry) for entry in entries)
            os.setxattr("file", "system.posix_acl_access", struct.pack("<I", 2) + list)
            """
        let read = """
            import os
            print(os.getxattr("file", "system.posix_acl_access").hex())
            """
        let folder = job.folder.path
        guard try Command("python3", ["-c", set], workingFolder: folder).run().status == .exit(0)
        else { return }
        let before = try Command("python3", ["-c", read], workingFolder: folder).run()
        #expect(try job.run("--only", "file").code == 0)
        let after = try Command("python3", ["-c", read], workingFolder: folder).run()
        #expect(after.status == .exit(0), "\(after.standardError)")
        #expect(after.standardOutput == before.standardOutput)
        #expect(try access(to: "file") == "12345:23456 640")
    }
}
