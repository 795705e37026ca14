import TestSupport
import Testing
import TransferModel

@Suite struct DownloadTests {
    @Test func `3 hundred files of nginx arrive whole under their names`() throws {
        let nginx = try Nginx()
        for number in 0..<300 {
            try nginx.root.write(
                [UInt8](repeating: UInt8(number % 251), count: number * 13),
                to: "\(number)"
            )
        }
        let tasks = (0..<300).map { "  d\($0): { url: \(nginx.origin)/\($0), to: out/\($0) }\n" }
        let job = try JobFolder("version: 1\ndownloads:\n" + tasks.joined())
        let run = try job.run("--progress", "none")
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.list("out").count == 300)
        for number in 0..<300 {
            #expect(try job.folder.read("out/\(number)") == nginx.root.read("\(number)"))
        }
        #expect(run.report["summary"]?["succeeded"]?.integer == 300)
    }

    @Test(arguments: [("replace", "new"), ("skip", "old"), ("fail", "old")])
    func `an existing file is handled according to ifExists`(
        rule: String,
        content: String
    ) throws {
        let server = try ScriptedServer(["/": [.ok("new")]])
        let job = try JobFolder(
            """
            version: 1
            downloads:
              there: { url: \(server.url("/")), to: there.bin, ifExists: \(rule) }
              absent: { url: \(server.url("/")), to: absent.bin, ifExists: \(rule) }
            """
        )
        try job.folder.write("old", to: "there.bin")
        let run = try job.run()
        #expect(try job.folder.text("there.bin") == content)
        #expect(try job.folder.text("absent.bin") == "new")
        #expect(server.requests.count == (rule == "replace" ? 2 : 1))
        let outcome = ["replace": "succeeded", "skip": "unchanged", "fail": "failed"][rule]
        #expect(run.outcome("there") == outcome)
        #expect((run.code == 0) == (rule != "fail"))
    }

    @Test func `a body that ends early leaves no file`() throws {
        let body = Array("0123456789".utf8)
        let server = try ScriptedServer(["/": [.cut(body, after: 4, then: [.close])]])
        let job = try JobFolder(
            "version: 1\ndownloads:\n  a: { url: \(server.url("/")), to: a.bin, retry: { attempts: 1 } }\n"
        )
        let run = try job.run()
        #expect(run.code == 5)
        #expect(run.kind("a") == "truncated")
        #expect(try job.folder.list() == ["job.yaml", "report.json"])
    }

    @Test func `redirects are followed and each is an exchange`() throws {
        let server = try ScriptedServer([
            "/a": [.redirect(301, to: "/b")], "/b": [.redirect(307, to: "c?x=1")],
            "/c": [.ok("end")],
        ])
        let job = try JobFolder(
            "version: 1\ndownloads:\n  a: { url: \(server.url("/a")), to: a.bin }\n"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("a.bin") == "end")
        #expect(
            run.exchanges("a").map { $0["reason"]?.string } == ["initial", "redirect", "redirect"]
        )
        #expect(server.requests.map(\.target) == ["/a", "/b", "/c?x=1"])
        #expect(run.task("a")?["currentRequest"]?["url"]?.string == server.url("/c?x=1"))
    }

    @Test func `an endless redirect and one to another scheme fail for good`() throws {
        let server = try ScriptedServer([
            "/loop": [.redirect(to: "/loop")], "/file": [.redirect(to: "file:///etc/passwd")],
        ])
        let job = try JobFolder(
            """
            version: 1
            downloads:
              loop: { url: \(server.url("/loop")), to: loop.bin }
              file: { url: \(server.url("/file")), to: file.bin }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.kind("loop") == "redirectLimit")
        #expect(run.outcome("file") == "failed")
        #expect(run.attempts("loop").count == 1 && run.attempts("file").count == 1)
        #expect(try job.folder.list() == ["job.yaml", "report.json"])
    }

    @Test func `authorization stays with its origin`() throws {
        let other = try ScriptedServer(["/": [.ok("")]])
        let server = try ScriptedServer(["/": [.redirect(to: other.url("/"))]])
        let job = try JobFolder(
            """
            version: 1
            data: { a: { url: \(server.url("/")), headers: { Authorization: Bearer x } } }
            """
        )
        #expect(try job.run().code == 0)
        #expect(server.requests.first?.headers["Authorization"] == "Bearer x")
        #expect(other.requests.first?.headers["Authorization"] == nil)
    }

    @Test func `silence longer than the request timeout is a failure`() throws {
        let server = try ScriptedServer([
            "/": [.cut(Array("0123456789".utf8), after: 4, then: [.waitForPeerToLeave])]
        ])
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { timeoutIntervalForRequest: 2s } }
            downloads: { a: { url: \(server.url("/")), to: a.bin, retry: { attempts: 2, backoff: { initial: 1ms } } } }
            """
        )
        let run = try job.run()
        #expect(run.code == 5)
        #expect(run.kind("a") == "timeout")
        #expect(server.requests.count == 2)
        #expect(!job.folder.contains("a.bin"))
    }

    @Test func `a drip below the minimum rate fails, although it is no silence`() throws {
        let server = try ScriptedServer([
            "/": [
                Reply([
                    .send(Reply.head(200, ["Content-Length: 100000"])),
                    .drip([UInt8](repeating: 1, count: 100_000), every: .milliseconds(20)),
                ])
            ]
        ])
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { minimumRate: { rate: 10KiB/s, over: 1s } } }
            downloads: { a: { url: \(server.url("/")), to: a.bin, retry: { attempts: 1 } } }
            """
        )
        let run = try job.run()
        #expect(run.code == 5)
        #expect(run.kind("a") == "stalled")
        #expect(!job.folder.contains("a.bin"))
    }

    @Test func `a media type that was not expected is a failure without a file`() throws {
        let server = try ScriptedServer(["/": [.ok("<p>", ["Content-Type: text/html"])]])
        let job = try JobFolder(
            """
            version: 1
            downloads: { a: { url: \(server.url("/")), to: a.bin, expect: { mimeType: application/json } } }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.kind("a") == "mimeType")
        #expect(!job.folder.contains("a.bin"))
    }
}
