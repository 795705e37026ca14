import TestSupport
import Testing
import TransferModel

/// Data tasks whose response becomes a download, by the built executable.
@Suite struct BecomeDownloadTests {
    private static let large = FileContent.patterned(300_000)

    @Test func `only a body above the limit becomes a file, with and without a length`() throws {
        let (large, exact) = (Self.large, Array(Self.large.prefix(1024)))
        let server = try ScriptedServer([
            "/large": [.ok(large)], "/exact": [.ok(exact)], "/above": [.ok(exact + [7])],
            "/chunks": [.chunked([exact, large])], "/few": [.chunked([exact])],
            "/empty": [.status(204)], "/nothing": [.ok("")], "/byte": [.ok("x")],
        ])
        let job = try JobFolder(
            """
            version: 1
            data:
              large: { url: \(server.url("/large")), becomeDownload: { largerThan: 1KiB, to: d/large } }
              exact: { url: \(server.url("/exact")), becomeDownload: { largerThan: 1KiB, to: d/exact } }
              above: { url: \(server.url("/above")), becomeDownload: { largerThan: 1KiB, to: d/above } }
              chunks: { url: \(server.url("/chunks")), becomeDownload: { largerThan: 200KiB, to: d/chunks } }
              few: { url: \(server.url("/few")), becomeDownload: { largerThan: 1KiB, to: e/few } }
              empty: { url: \(server.url("/empty")), becomeDownload: { largerThan: 0B, to: e/empty } }
              nothing: { url: \(server.url("/nothing")), becomeDownload: { largerThan: 0B, to: e/nothing } }
              byte: { url: \(server.url("/byte")), becomeDownload: { largerThan: 0B, to: d/byte } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("d/large") == large)
        #expect(try job.folder.read("d/above") == exact + [7])
        #expect(try job.folder.read("d/chunks") == exact + large)
        #expect(try job.folder.text("d/byte") == "x")
        for id in ["exact", "few", "empty", "nothing"] {
            #expect(run.task(id)?["file"] == .null, "\(id)")
        }
        #expect(!job.folder.contains("d/exact") && !job.folder.contains("e"))
        #expect(run.task("large")?["file"]?["path"]?.string == "d/large")
        #expect(run.task("large")?["file"]?["size"]?.integer == 300_000)
        #expect(run.task("few")?["countOfBytesReceived"]?.integer == 1024)
    }

    @Test func `the limit counts the decoded body`() throws {
        let server = try ScriptedServer([
            "/zip": [
                .ok(Self.zeros, ["Content-Encoding: gzip"]),
                .ok(Self.zeros, ["Content-Encoding: gzip"]),
            ]
        ])
        let job = try JobFolder(
            """
            version: 1
            data:
              decoded: { url: \(server.url("/zip")), becomeDownload: { largerThan: 3000B, to: decoded } }
              coded: { url: \(server.url("/zip")), decode: false, becomeDownload: { largerThan: 3000B, to: coded } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("decoded") == [UInt8](repeating: 0, count: 4000))
        #expect(!job.folder.contains("coded"))
    }

    /// 4,000 zeros by gzip.
    private static let zeros: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0xed, 0xc1, 0x31, 0x01, 0x00,
        0x00, 0x00, 0xc2, 0xa0, 0xf5, 0x4f, 0x6d, 0x0c, 0x1f, 0xa0, 0x00, 0x00, 0x00, 0x80, 0xb7,
        0x01, 0xbe, 0x93, 0x8b, 0x3a, 0xa0, 0x0f, 0x00, 0x00,
    ]

    @Test func `expectations and captures look into the body, whatever it becomes`() throws {
        let text = #"{"id":"n-1","rest":""# + String(repeating: "x", count: 3000) + #""}"#
        let server = try ScriptedServer { _ in .ok(text) }
        let url = server.url("/")
        let job = try JobFolder(
            """
            version: 1
            data:
              kept: { url: "\(url)", becomeDownload: { largerThan: 1KiB, to: kept.json }, expect: { json: { /id: n-1 } }, capture: { id: { json: /id } } }
              next: { url: "\(url)${task.kept.id}", needs: [kept] }
              other: { url: "\(url)", becomeDownload: { largerThan: 1KiB, to: other.json }, expect: { json: { /id: n-2 } } }
              large: { url: "\(url)", becomeDownload: { largerThan: 1KiB, to: large.json }, expect: { maximumSize: 2KiB } }
            """
        )
        try job.folder.write("old", to: "other.json")
        try job.folder.write("old", to: "large.json")
        let run = try job.run()
        #expect(run.code == 1)
        #expect(try job.folder.text("kept.json") == text)
        #expect(server.requests(for: "/n-1").count == 1)
        #expect([run.kind("other"), run.kind("large")] == ["content", "tooLarge"])
        #expect(try job.folder.text("other.json") == "old")
        #expect(try job.folder.text("large.json") == "old")
    }

    @Test func `a body that is cut leaves the old file, and is fetched again from its start`()
        throws
    {
        let server = try ScriptedServer([
            "/": [.cut(Self.large, after: 200_000, then: [.close]), .ok(Self.large)]
        ])
        let job = try JobFolder(
            """
            version: 1
            data:
              file:
                url: \(server.url("/"))
                becomeDownload: { largerThan: 1KiB, to: file }
                retry: { attempts: 2, backoff: { initial: 1ms } }
            """
        )
        try job.folder.write("old", to: "file")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.attempts("file").count == 2)
        #expect(server.requests.allSatisfy { $0.headers["Range"] == nil })
        #expect(try job.folder.read("file") == Self.large)
    }

    @Test func `a stored response becomes a download as well`() throws {
        let server = try ScriptedServer([
            "/": [.ok(Self.large, ["Cache-Control: max-age=1000"])]
        ])
        let job = try JobFolder(
            """
            version: 1
            data:
              first: { url: \(server.url("/")) }
              second: { url: \(server.url("/")), needs: first, becomeDownload: { largerThan: 1KiB, to: file } }
              third: { url: \(server.url("/")), needs: first, becomeDownload: { largerThan: 1MiB, to: none } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.count == 1)
        #expect(try job.folder.read("file") == Self.large)
        #expect(!job.folder.contains("none"))
    }

    @Test func `a plan that cannot know the size promises no file`() throws {
        let job = try JobFolder(
            """
            version: 1
            data:
              file: { url: https://example.com/, becomeDownload: { largerThan: 1KiB, to: file } }
            """
        )
        try job.folder.write("old", to: "file")
        let outcome = try job.runner(["plan", "job.yaml", "--diff"])
        #expect(outcome.status == .exit(0))
        #expect(!outcome.standardOutput.contains("replace"), "\(outcome.standardOutput)")
    }
}
