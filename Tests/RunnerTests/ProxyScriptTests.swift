import Synchronization
import SystemKit
import TestSupport
import Testing

/// `pac` of a session's `proxy`, with libpacparser.
@Suite struct ProxyScriptTests {
    private static func job(_ proxy: String, _ url: String, script: String? = nil) throws
        -> JobFolder
    {
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 1 } }
            sessions: { s: { proxy: \(proxy) } }
            downloads:
              file: { url: "\(url)", to: file.txt }
            """
        )
        if let script { try job.folder.write(script, to: "proxy.pac") }
        return job
    }

    @Test func `a script in a file chooses a proxy, and falls back to the next one`() throws {
        let proxy = try ScriptedServer { _ in .ok("from the proxy") }
        let closed = try ClosedPort()
        let job = try Self.job(
            "{ pac: proxy.pac }",
            "http://files.example.test/a?b",
            script: """
                function FindProxyForURL(url, host) {
                  if (dnsDomainIs(host, ".example.test") && url == "http://files.example.test/")
                    return "PROXY 127.0.0.1:\(closed.port); PROXY 127.0.0.1:\(proxy.port)";
                  throw "not for " + url;
                }
                """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("file.txt") == "from the proxy")
        let proxies = run.exchanges("file").map { $0["extension"]?["proxy"]?.string }
        #expect(proxies == ["http://127.0.0.1:\(closed.port)", proxy.origin])
    }

    @Test func `a script chooses SOCKS proxies for servers of FTP, and never proxies of HTTP`()
        throws
    {
        let (server, dante, closed) = (try FTPServer(), try Dante(), try ClosedPort())
        try server.folder.write("from FTP", to: "a.txt")
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 1 } }
            sessions:
              socks: { ftp: { tls: none }, proxy: { pac: socks.pac } }
              http: { ftp: { tls: none }, proxy: { pac: http.pac } }
            downloads:
              socks: { session: socks, url: "\(server.origin)/a.txt", to: socks }
              http: { session: http, url: "\(server.origin)/a.txt", to: http }
            """
        )
        try job.folder.write(
            """
            function FindProxyForURL(url, host) {
              if (url != "\(server.origin)/") throw "not for " + url;
              return "PROXY 127.0.0.1:\(closed.port); SOCKS5 127.0.0.1:\(closed.port); SOCKS5 \(dante.address)";
            }
            """,
            to: "socks.pac"
        )
        try job.folder.write(
            "function FindProxyForURL(u, h) { return 'PROXY 127.0.0.1:\(closed.port)' }",
            to: "http.pac"
        )
        let run = try job.run()
        #expect(run.outcome("socks") == "succeeded", "\(run.command.standardError)")
        #expect(try job.folder.text("socks") == "from FTP")
        let last = run.exchanges("socks").last?["extension"]?["proxy"]?.string
        #expect(last?.hasSuffix(dante.address) == true)
        #expect(run.kind("http") == "connect")
        #expect(run.command.standardError.contains("only SOCKS carries this protocol"))
        #expect(try server.commands().count { $0.hasPrefix("RETR") } == 1)
    }

    @Test func `a script is fetched from its URL, once`() throws {
        let proxy = try ScriptedServer { _ in .ok("from the proxy") }
        let script = "function FindProxyForURL(u, h) { return 'PROXY 127.0.0.1:\(proxy.port)' }"
        let server = try ScriptedServer(["/proxy.pac": [.ok(script)]])
        let job = try Self.job("{ pac: \"\(server.url("/proxy.pac"))\" }", "http://a.test/")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("file.txt") == "from the proxy")
        #expect(server.requests.count == 1)
    }

    @Test func `an empty TMPDIR does not stand for the root folder`() throws {
        let folders = Mutex<[String]>([])
        let server = try ScriptedServer { request in
            // A fetched script is in a temporary folder of the runner.
            let names = try? Folder.names(in: "/") { $0.hasPrefix("runner-") }
            folders.withLock { $0 += names ?? [] }
            return request.path == "/proxy.pac"
                ? .ok("function FindProxyForURL(u, h) { return 'DIRECT' }") : .ok("direct")
        }
        let job = try Self.job("{ pac: \"\(server.url("/proxy.pac"))\" }", server.url("/"))
        let run = try job.run(environment: ["TMPDIR": ""])
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.path) == ["/proxy.pac", "/"])
        #expect(folders.withLock { $0 } == [])
    }

    @Test func `exceptions are reached directly`() throws {
        let server = try ScriptedServer(["/": [.ok("direct")]])
        let job = try Self.job(
            "{ pac: proxy.pac, exceptions: [127.0.0.1] }",
            server.url("/"),
            script: "function FindProxyForURL(u, h) { throw 'asked' }"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
    }

    @Test func `a script may begin with a byte order mark, and call alert as in browsers`() throws {
        let server = try ScriptedServer(["/": [.ok("direct")]])
        let job = try Self.job(
            "{ pac: proxy.pac }",
            server.url("/"),
            script: "\u{FEFF}function FindProxyForURL(u, h) { alert(u); return 'DIRECT' } // end"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("file.txt") == "direct")
    }

    @Test(arguments: [
        ("function (", "SyntaxError"), ("<html><body>Sign in</body></html>", "no function"),
        ("", "no function"), ("function FindProxyForURL(u, h) {}\0 }", "NUL"),
    ])
    func `a text that is no script ends the run before its first request`(
        script: String,
        reason: String
    ) throws {
        let server = try ScriptedServer(["/": [.ok("direct")]])
        let job = try Self.job("{ pac: proxy.pac }", server.url("/"), script: script)
        let run = try job.run()
        #expect(run.code == 4)
        #expect(run.command.standardError.contains("the proxy script proxy.pac is of no use"))
        #expect(run.command.standardError.contains(reason), "\(run.command.standardError)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a script that cannot be fetched ends the run before its first request`() throws {
        let server = try ScriptedServer(["/": [.ok("direct")]])
        let job = try Self.job("{ pac: \"\(server.url("/missing.pac"))\" }", server.url("/"))
        let run = try job.run()
        #expect(run.code == 4)
        #expect(run.command.standardError.contains("cannot be fetched"))
        #expect(server.requests.map(\.path) == ["/missing.pac"])
    }

    @Test func `a script that fails for an origin fails its tasks`() throws {
        let server = try ScriptedServer(["/": [.ok("direct")]])
        let job = try Self.job(
            "{ pac: proxy.pac }",
            server.url("/"),
            script: "function FindProxyForURL(u, h) { return undefined_name }"
        )
        let run = try job.run()
        #expect(run.code != 0)
        #expect(server.requests.isEmpty)
        #expect(run.task("file")?["error"]?["message"]?.string?.contains("proxy.pac") == true)
    }

    @Test func `an endless script is ended by its time`() throws {
        let folder = try TemporaryFolder()
        let script = try folder.write("while (true) {}", to: "endless.pac")
        let command = try Command.runner(["find-proxy", script], workingFolder: folder.path).start()
        // As the runner does after its limit of time.
        command.signal(9)
        #expect(try command.finish().status == .signal(9))
    }

    @Test func `a huge script is refused`() throws {
        let job = try Self.job(
            "{ pac: proxy.pac }",
            "http://a.test/",
            script: "//" + String(repeating: "x", count: 1 << 20)
        )
        let run = try job.run()
        #expect(run.code == 4)
        #expect(run.command.standardError.contains("larger than 1 MiB"))
    }
}
