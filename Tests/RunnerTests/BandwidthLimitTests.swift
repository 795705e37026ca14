import SystemKit
import TestSupport
import Testing

/// Jobs whose session has `limits.bandwidth`, from the job file to the report.
@Suite struct BandwidthLimitTests {
    private static func chunks(of body: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: body.count, by: 10_000).map {
            Array(body[$0..<min($0 + 10_000, body.count)])
        }
    }

    @Test(arguments: ["/chunked", "/close"])
    func `a download waits for bandwidth without a busy core`(path: String) throws {
        let body = FileServerTests.content(1_600_000)
        let server = try ScriptedServer { request in
            request.path == "/chunked"
                ? .chunked(Self.chunks(of: body))
                : .raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", then: [.send(body), .close])
        }
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { limits: { bandwidth: 250KB/s } } }
            downloads: { a: { url: "\(server.url(path))", to: out } }
            """
        )
        let command = try job.runCommand(["--progress", "none"])
        // The transfer takes 6 s.
        let outcome = try command.limitedToCPUTime(ofSeconds: 4).run(within: .seconds(60))
        let run = try outcome.reported(in: job.folder)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out") == body)
    }

    @Test func `files of FTP share the bandwidth until the last one is whole`() throws {
        let server = try FTPServer()
        let names = (0..<8).map { "file-\($0)" }
        let body = FileServerTests.content(200_000)
        for name in names { try FileServerTests.put(body, name, in: server.folder) }
        let tasks = names.map { "  \($0): { url: \"\(server.origin)/\($0)\", to: out/ }" }
        let job = try FileServerTests.ftp(
            server,
            "downloads:\n" + tasks.joined(separator: "\n"),
            tls: "none",
            more: "limits: { bandwidth: 1MiB/s }\n    timeoutIntervalForResource: 60s"
        )
        let run = try job.run(environment: FileServerTests.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        for name in names { #expect(try job.folder.read("out/\(name)") == body) }
    }

    @Test func `the parts of a file share the bandwidth in one attempt`() throws {
        let body = FileServerTests.content(4 << 20)
        let tag = "ETag: \"one\""
        let server = try ScriptedServer { request in
            let head = Reply.head(200, [tag, "Content-Length: \(body.count)"])
            return request.byteRange.map {
                Reply.part(of: body, from: $0.lowerBound, to: $0.upperBound, [tag])
            } ?? Reply([.send(head + body)])
        }
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { limits: { bandwidth: 2MiB/s }, timeoutIntervalForRequest: 5s } }
            downloads: { a: { url: "\(server.url("/"))", to: out, segments: 4 } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out") == body)
        #expect(run.attempts("a").count == 1)
        #expect(server.requests.count > 1)
    }
}
