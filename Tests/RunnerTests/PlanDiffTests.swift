import SystemKit
import TestSupport
import Testing
import TransferModel

/// `runner plan --diff`: what a run would do here and now.
@Suite struct PlanDiffTests {
    private static let body = [UInt8](repeating: 97, count: 4 << 20)
    /// The SHA-256 of `right`.
    private static let digest = "27042f4e6eca7d0b2a7ee4026df2ecfa51d3339e6d122aa099118ecd8563bad9"

    private func outlook(_ job: JobFolder, _ arguments: [String] = []) throws -> String {
        let outcome = try job.runner(["plan", "job.yaml", "--diff", "--show-values"] + arguments)
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        return outcome.standardOutput
    }

    @Test func `each task has what a run would do and why`() throws {
        let job = try JobFolder(
            """
            version: 1
            data:
              login: { url: "http://a.test/login", capture: { id: { json: /id } } }
            uploads:
              order: { url: "http://a.test/orders", json: { a: 1 } }
            downloads:
              new: { url: "http://a.test/new", to: new.txt }
              old: { url: "http://a.test/old", to: old.txt }
              kept: { url: "http://a.test/kept", to: kept.txt, ifExists: skip }
              right: { url: "http://a.test/right", to: right.txt, checksum: "sha256:\(Self.digest)" }
              wrong: { url: "http://a.test/wrong", to: wrong.txt, checksum: "sha256:\(Self.digest)" }
              there: { url: "http://a.test/there", to: there.txt, ifExists: fail }
              mine: { url: "http://a.test/users/${task.login.id}", to: mine.txt, needs: [login] }
            """
        )
        for name in ["old.txt", "kept.txt", "wrong.txt", "there.txt"] {
            try job.folder.write("old", to: name)
        }
        try job.folder.write("right", to: "right.txt")
        let lines = try outlook(job).split(separator: "\n").map(String.init)
        let expected = [
            "fetch    data login",
            "send     upload order: POST",
            "fetch    download new: new.txt",
            "fetch    download old: replaces old.txt",
            "keep     download kept: kept.txt exists",
            "keep     download right: right.txt has its checksum",
            "fetch    download wrong: wrong.txt has another checksum",
            "fail     download there: `there.txt` exists, and `ifExists` is `fail`",
            "fetch    download mine: depends on values that other tasks capture",
        ]
        for line in expected { #expect(lines.contains(line), "\(line)\n\(lines)") }
        #expect(lines.last == "9 tasks: send 1, fetch 5, keep 2, fail 1")
    }

    @Test func `a part that an interrupted run left is resumed, as the plan said`() throws {
        let server = try ScriptedServer { request in
            if let start = request.rangeStart {
                return .part(of: Self.body, from: start, ["ETag: \"one\""])
            }
            let head = Reply.head(200, ["ETag: \"one\"", "Content-Length: \(Self.body.count)"])
            return Reply([.send(head + Self.body.prefix(3 << 20)), .close])
        }
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 1 } }
            downloads: { a: { url: "\(server.url("/a"))", to: a.bin } }
            """
        )
        #expect(try outlook(job).hasPrefix("fetch    download a: a.bin\n"))
        #expect(try job.run().code == 5)
        let text = try outlook(job)
        #expect(text.hasPrefix("resume   download a: a.bin, "), "\(text)")
        let listing = try JSONValue(outlook(job, ["--format", "json"]))
        let task = try #require(listing["tasks"]?.elements.first)
        #expect(task["action"] == .string("resume"))
        #expect(task["totalBytes"]?.integer == 4 << 20)
        let present = try #require(task["presentBytes"]?.integer)
        let run = try job.run()
        #expect(run.code == 0)
        #expect(run.task("a")?["file"]?["resumedFrom"]?.integer == present)
        #expect(try outlook(job).hasPrefix("fetch    download a: replaces a.bin\n"))
    }

    @Test(arguments: ["text", "json"])
    func `a destination is shown as in the listing of settings`(format: String) throws {
        let job = try JobFolder(
            """
            version: 1
            variables: { pw: hunter2 }
            downloads:
              new: { url: "http://a.test/", to: "out/new-${var.pw}" }
              old: { url: "http://a.test/", to: "old-${var.pw}", ifExists: fail }
              folder: { url: "http://a.test/", to: "d-${var.pw}" }
            """
        )
        try job.folder.write("old", to: "old-hunter2")
        try job.folder.makeFolder("d-hunter2")
        let outcome = try job.runner(["plan", "job.yaml", "--diff", "--format", format])
        #expect(outcome.status == .exit(0), "\(outcome)")
        #expect(outcome.standardOutput.contains("`•••${var.pw}` exists"), "\(outcome)")
        #expect(!outcome.standardOutput.contains("hunter2"), "\(outcome)")
    }

    @Test func `nothing is sent and nothing is written`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let job = try JobFolder(
            """
            version: 1
            uploads: { a: { url: "\(server.url("/"))", json: {}, responseTo: out/a.json } }
            """
        )
        let before = try job.folder.list()
        _ = try outlook(job)
        #expect(server.requests.isEmpty)
        #expect(try job.folder.list() == before)
    }

    @Test func `a listing has the settings of the file, and with --all the defaults`() throws {
        let job = try JobFolder(
            "version: 1\ndownloads: { a: { url: \"http://a.test/\", to: a, mode: \"0600\" } }\n"
        )
        let short = try job.runner(["plan", "job.yaml"]).standardOutput
        let whole = try job.runner(["plan", "job.yaml", "--all"]).standardOutput
        #expect(short.contains("mode") && !short.contains("ifExists"))
        #expect(whole.contains("mode") && whole.contains("ifExists"))
        let both = try job.runner(["plan", "job.yaml", "--all", "--diff"])
        #expect(both.status == .exit(2))
    }
}
