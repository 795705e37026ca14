import TestSupport
import Testing
import TransferModel

/// Mirrors, lists of checksums, modes and codings, as a run of the executable shows them.
@Suite struct MirrorTests {
    private static let right = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"

    @Test func `mirrors are asked in order until one has the right bytes`() throws {
        let first = try ScriptedServer(["/f": [.status(404)]])
        let second = try ScriptedServer(["/f": [.ok("wrong bytes")]])
        let third = try ScriptedServer(["/f": [.ok("hello world")]])
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a:
                url: \(first.url("/f"))
                mirrors: [\(second.url("/f")), \(third.url("/f")), "http://127.0.0.1:1/never"]
                headers: { Authorization: Bearer x }
                checksum: sha256:\(Self.right)
                to: a.bin
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("a.bin") == "hello world")
        #expect(run.attempts("a").map { $0["reason"]?.string } == ["404", "integrity", nil])
        #expect(
            run.exchanges("a").map { $0["reason"]?.string } == ["initial", "mirror", "mirror"]
        )
        #expect(
            run.exchanges("a").map { $0["request"]?["url"]?.string }
                == [first, second, third].map { $0.url("/f") }
        )
        #expect(run.task("a")?["extension"]?["vouchedBy"]?.string == "checksum")
        #expect(first.requests.first?.headers["Authorization"] == "Bearer x")
        #expect(third.requests.first?.headers["Authorization"] == nil)
    }

    @Test func `a wrong checksum everywhere ends with 6`() throws {
        let server = try ScriptedServer { _ in .ok("wrong") }
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a: { url: \(server.url("/a")), mirrors: ["\(server.url("/b"))"], to: a.bin,
                   checksum: "sha256:\(Self.right)", retry: { attempts: 1 } }
            """
        )
        let run = try job.run()
        #expect(run.code == 6)
        #expect(server.requests.map(\.path) == ["/a", "/b"])
        #expect(!job.folder.contains("a.bin"))
    }

    @Test func `a list of checksums that fails once does not cost the part`() throws {
        let body = Array(repeating: UInt8(ascii: "a"), count: 2 << 20)
        let digest = "5256ec18f11624025905d057d6befb03d77b243511ac5f77ed5e0221ce6d84b5"
        let server = try ScriptedServer { request in
            switch (request.path, request.earlierRequestsForPath) {
            case ("/sums", 1): .status(503)
            case ("/sums", _): .ok("\(digest)  a.bin\n")
            case (_, 0): .ok(body, ["ETag: \"one\""]).cut(after: 1_000_000)
            default:
                request.rangeStart.map { .part(of: body, from: $0, ["ETag: \"one\""]) } ?? .ok(body)
            }
        }
        let job = try JobFolder(
            """
            version: 1
            variables: { attempts: 1 }
            downloads:
              a: { url: "\(server.url("/a.bin"))", to: a.bin,
                   checksum: { from: "\(server.url("/sums"))", algorithm: sha256 },
                   retry: { attempts: "${var.attempts}", backoff: { initial: 1ms } } }
            """
        )
        #expect(try job.run().code == 5)
        let run = try job.run("--var", "attempts=2")
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests(for: "/a.bin").map(\.rangeStart) == [nil, 1_000_000])
        #expect(try job.folder.read("a.bin") == body)
    }

    @Test func `a list of checksums is fetched once for all that need it`() throws {
        let sums = "\(Self.right)  one.bin\n\(Self.right) *dist/two.bin\n"
        let server = try ScriptedServer([
            "/sums": [.unavailable(retryAfter: "0"), .redirect(to: "/SHA256SUMS")],
            "/SHA256SUMS": [.ok(sums)],
            "/one.bin": [.ok("hello world")], "/two.bin": [.ok("hello world")],
            "/other.bin": [.ok("hello world")],
        ])
        let list = "checksum: { from: \"\(server.url("/sums"))\", algorithm: sha256 }"
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { backoff: { initial: 1ms } } }
            downloads:
              one: { url: \(server.url("/one.bin")), to: out/, \(list) }
              two: { url: \(server.url("/two.bin")), to: renamed.bin, \(list) }
              other: { url: \(server.url("/other.bin")), to: other.bin, \(list), required: false }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests(for: "/SHA256SUMS").count == 1)
        #expect(try job.folder.text("out/one.bin") == "hello world")
        #expect(run.task("two")?["file"]?["sha256"]?.string == Self.right)
        #expect(run.kind("other") == "integrity")
        #expect(!job.folder.contains("other.bin"))
        let fetching = ["one", "two", "other"].filter { id in
            run.exchanges(id).contains { $0["reason"]?.string == "checksums" }
        }
        let fetcher = try #require(fetching.first)
        #expect(fetching.count == 1)
        #expect(
            run.exchanges(fetcher).map { $0["reason"]?.string }
                == ["checksums", "checksums", "redirect", "retry"]
        )
        #expect(run.attempts(fetcher).count == 2)
    }

    @Test func `a list that is not there fails its tasks and sends nothing more`() throws {
        let server = try ScriptedServer(["/a": [.ok("x")]])
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a: { url: \(server.url("/a")), to: a, checksum: { from: "\(server.url("/no"))", algorithm: sha256 } }
              b: { url: \(server.url("/a")), to: b, checksum: { from: "\(server.url("/no"))", algorithm: sha256 } }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(server.requests.map(\.path) == ["/no"])
        #expect(run.kind("a") == "httpStatus" && run.kind("b") == "httpStatus")
    }

    @Test func `nginx's gzip is undone where the job asks for it`() throws {
        let nginx = try Nginx(
            locations: "location = /t.txt { gzip on; gzip_types text/plain; gzip_min_length 1; }"
        )
        let text = String(repeating: "a line of some text\n", count: 50_000)
        try nginx.root.write(text, to: "t.txt")
        let job = try JobFolder(
            """
            version: 1
            downloads:
              decoded: { url: \(nginx.origin)/t.txt, to: decoded.txt, decode: true, mode: "0640" }
              coded: { url: \(nginx.origin)/t.txt, to: coded.gz, headers: { Accept-Encoding: gzip } }
              plain: { url: \(nginx.origin)/t.txt, to: plain.txt }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("decoded.txt") == text)
        #expect(try job.folder.mode(of: "decoded.txt") == 0o640)
        #expect(try job.folder.text("plain.txt") == text)
        #expect(try job.folder.read("coded.gz").prefix(2) == [0x1F, 0x8B])
        #expect(run.task("decoded")?["file"]?["size"]?.integer == Int64(text.utf8.count))
        let received = try #require(run.task("decoded")?["countOfBytesReceived"]?.integer)
        #expect(received == Int64(try job.folder.read("coded.gz").count))
    }
}
