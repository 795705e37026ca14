import TestSupport
import Testing
import TransferModel

/// Sessions that share cookies or credentials by naming a storage, by the built executable.
@Suite struct SharedStorageTests {
    private static let jars = ".local/state/runner/cookies"

    private func server() throws -> ScriptedServer {
        try ScriptedServer { request in
            request.path == "/login"
                ? .ok(
                    "x",
                    ["Set-Cookie: kept=k; Max-Age=600; Path=/", "Set-Cookie: run=r; Path=/"]
                )
                : .ok("x")
        }
    }

    private func cookies(_ server: ScriptedServer, at path: String) -> [String?] {
        server.requests(for: path).map { $0.headers["cookie"] }
    }

    private func jarFiles(_ job: JobFolder) throws -> [String] {
        guard job.folder.contains(Self.jars) else { return [] }
        return try job.folder.list(Self.jars).filter { !$0.hasSuffix(".lock") }
    }

    @Test func `sessions with one storage share cookies within a run and in the next one`() throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            sessions:
              login: { httpCookieStorage: shop, httpShouldSetCookies: false }
              orders: { httpCookieStorage: shop, httpCookieAcceptPolicy: never }
              alone: {}
              shop: {}
              silent: { httpCookieStorage: none }
            data:
              in: { session: login, url: \(server.url("/login")) }
              order: { session: orders, url: \(server.url("/order")), needs: in }
              alone: { session: alone, url: \(server.url("/alone")), needs: in }
              named: { session: shop, url: \(server.url("/named")), needs: in }
              silent: { session: silent, url: \(server.url("/login")), needs: order }
              again: { session: silent, url: \(server.url("/silent")), needs: silent }
            """
        )
        #expect(try job.run().code == 0)
        #expect(cookies(server, at: "/order") == ["kept=k; run=r"])
        // Only the storage has a file; it is not that of the session with its name.
        #expect(try jarFiles(job).count == 1)
        #expect(try job.run("--only", "order", "--only", "silent").code == 0)
        #expect(try job.run("--only", "again", "--only", "named", "--only", "alone").code == 0)
        #expect(cookies(server, at: "/order").allSatisfy { $0 == "kept=k; run=r" })
        for path in ["/login", "/alone", "/named", "/silent"] {
            #expect(cookies(server, at: path).allSatisfy { $0 == nil }, "\(path)")
        }
    }

    @Test func `the kept cookies of a storage reach each of its sessions in a later run`() throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            sessions:
              login: { httpCookieStorage: shop }
              nightly: { configuration: background, identifier: nightly, httpCookieStorage: shop }
            data: { in: { session: login, url: "\(server.url("/login"))" } }
            downloads: { file: { session: nightly, url: "\(server.url("/file"))", to: file } }
            """
        )
        #expect(try job.run("--only", "in").code == 0)
        #expect(try job.run("--only", "file").code == 0)
        #expect(cookies(server, at: "/file") == ["kept=k"])
        let reset = try job.runner(["reset", "job.yaml", "--session", "nightly", "--cookies"])
        #expect(reset.standardOutput == "nightly: removed 1 cookies\n")
        #expect(try job.run("--only", "in").code == 0)
        #expect(cookies(server, at: "/login") == [nil, nil])
    }

    @Test func `ephemeral sessions share cookies for one run`() throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            defaults: { httpCookieStorage: passing }
            sessions: { a: { configuration: ephemeral }, b: { configuration: ephemeral } }
            data:
              in: { session: a, url: "\(server.url("/login"))" }
              order: { session: b, url: "\(server.url("/order"))", needs: in }
            """
        )
        for _ in 0..<2 { #expect(try job.run().code == 0) }
        #expect(cookies(server, at: "/order") == ["kept=k; run=r", "kept=k; run=r"])
        #expect(cookies(server, at: "/login") == [nil, nil])
        #expect(try jarFiles(job) == [])
    }

    @Test func `an ephemeral session does not share the cookies of a session that keeps them`()
        throws
    {
        let job = try JobFolder(
            """
            version: 1
            sessions:
              kept: { httpCookieStorage: shop }
              passing: { configuration: ephemeral, httpCookieStorage: shop }
            data: { a: { session: kept, url: "https://example.com/" } }
            """
        )
        let outcome = try job.runner(["validate", "job.yaml"])
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.contains("`httpCookieStorage: •••` is on disk"))
    }

    @Test func `sessions with one credential storage log in with each other's credentials`() throws
    {
        let server = try ScriptedServer { request in
            request.headers["Authorization"] == nil
                ? .status(401, [#"WWW-Authenticate: Basic realm="r""#]) : .ok("x")
        }
        let job = try JobFolder(
            """
            version: 1
            secrets: { password: { env: PASSWORD } }
            sessions:
              one:
                urlCredentialStorage: shop
                credentials: [{ method: basic, host: 127.0.0.1, user: me, password: "${secret.password}" }]
              two: { urlCredentialStorage: shop, configuration: ephemeral }
              three: {}
            data:
              a: { session: two, url: "\(server.url("/two"))" }
              b: { session: three, url: "\(server.url("/three"))" }
            """
        )
        // Of the first session no task is run: its secret is needed all the same.
        let run = try job.run(environment: ["PASSWORD": "open sesame"])
        #expect(run.code == 1)
        #expect([run.outcome("a"), run.outcome("b")] == ["succeeded", "failed"])
        #expect(
            server.requests(for: "/two").map { $0.headers["Authorization"] }
                == [nil, "Basic bWU6b3BlbiBzZXNhbWU="]
        )
        #expect(try !job.folder.text("report.json").contains("sesame"))
    }
}
