import TestSupport
import Testing
import TransferModel

/// The times of files whose downloads ask for the server's time, and of others.
@Suite struct ModificationDateTests {
    /// 2023-11-14T22:13:20Z.
    private static let seconds = 1_700_000_000
    private static let date = "Tue, 14 Nov 2023 22:13:20 GMT"

    /// When a file was modified, seconds since 1970.
    private static func time(_ path: String, in folder: TemporaryFolder) throws -> Int {
        let output = try Command("stat", ["-c", "%Y", folder.path(path)]).run().standardOutput
        return try #require(Int(output.split(separator: "\n").first ?? ""))
    }

    private static func touch(_ path: String, in folder: TemporaryFolder) throws {
        _ = try Command("touch", ["-d", "@\(seconds)", folder.path(path)]).run()
    }

    private static func isRecent(_ time: Int) -> Bool { time > 1_750_000_000 }

    @Test func `a file of nginx gets the server's time only where the job asks for it`() throws {
        let nginx = try Nginx()
        try nginx.root.write("small", to: "small")
        try nginx.root.write([UInt8](repeating: 7, count: 6 << 20), to: "large")
        for name in ["small", "large"] { try Self.touch(name, in: nginx.root) }
        let job = try JobFolder(
            """
            version: 1
            downloads:
              small: { url: \(nginx.origin)/small, to: small, modificationDate: server }
              large: { url: \(nginx.origin)/large, to: large, modificationDate: server }
              parts: { url: \(nginx.origin)/large, to: parts, segments: 4, modificationDate: server }
              mirror:
                url: http://127.0.0.1:1/large
                mirrors: [\(nginx.origin)/large]
                to: mirror
                modificationDate: server
                retry: { backoff: { initial: 1ms } }
              now: { url: \(nginx.origin)/small, to: now, modificationDate: now }
              default: { url: \(nginx.origin)/small, to: default }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        for name in ["small", "large", "parts", "mirror"] {
            #expect(try Self.time(name, in: job.folder) == Self.seconds, "\(name)")
        }
        for name in ["now", "default"] {
            #expect(try Self.isRecent(Self.time(name, in: job.folder)), "\(name)")
        }
    }

    @Test(arguments: [
        [], ["Last-Modified: yesterday"], ["Last-Modified: Tue, 30 Feb 2023 22:13:20 GMT"],
        ["Last-Modified: \(date)", "Last-Modified: Tue, 14 Nov 2023 22:13:21 GMT"],
    ])
    func `a file without one valid time of the server keeps its own`(fields: [String]) throws {
        let server = try ScriptedServer(["/": [.ok("text", fields)]])
        let job = try JobFolder(
            "version: 1\ndownloads:\n"
                + "  a: { url: \(server.url("/")), to: a, modificationDate: server }\n"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try Self.isRecent(Self.time("a", in: job.folder)))
    }

    @Test func `a stored response has its server's time, and a file that stays keeps its own`()
        throws
    {
        let server = try ScriptedServer { request in
            request.headers["If-None-Match"] != nil
                ? .status(304, ["ETag: \"1\""])
                : .ok("text", ["Last-Modified: \(Self.date)", "ETag: \"1\""])
        }
        let job = try JobFolder(
            "version: 1\ndownloads:\n  a: { url: \(server.url("/")), to: a, "
                + "ifExists: revalidate, modificationDate: server }\n"
        )
        #expect(try job.run().code == 0)
        #expect(try Self.time("a", in: job.folder) == Self.seconds)
        _ = try Command("touch", [job.folder.path("a")]).run()
        let second = try job.run()
        #expect(second.outcome("a") == "unchanged")
        #expect(try Self.isRecent(Self.time("a", in: job.folder)))
        _ = try Command("rm", [job.folder.path("a")]).run()
        #expect(try job.run().code == 0)
        #expect(try Self.time("a", in: job.folder) == Self.seconds)
    }

    @Test func `a file of an FTP server gets the server's time`() throws {
        let server = try FTPServer()
        try FileServerTests.put(Array("text".utf8), "a", in: server.folder)
        let job = try FileServerTests.ftp(
            server,
            "downloads: { a: { url: \"\(server.origin)/a\", to: a, modificationDate: server } }",
            tls: "none"
        )
        let run = try job.run(environment: FileServerTests.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try Self.time("a", in: job.folder) == Self.seconds)
    }
}
