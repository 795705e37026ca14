import SystemKit
import TestSupport
import Testing
import TransferModel

@Suite struct CookieTests {
    private static let jars = ".local/state/runner/cookies"

    /// A job with one task at a server's `/`; the session is `s`.
    private func job(
        _ server: ScriptedServer,
        name: String = "shop",
        session: String = "{}",
        url: String? = nil,
        more: String = ""
    ) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            name: \(name)
            sessions: { s: \(session) }
            data: { a: { url: "\(url ?? server.url("/"))" } }
            \(more)
            """
        )
    }

    /// Sets a cookie that lasts and one that ends with the run.
    private func server() throws -> ScriptedServer {
        try ScriptedServer([
            "/": [.ok("x", ["Set-Cookie: kept=k3pt; Max-Age=600", "Set-Cookie: run=r; Path=/"])]
        ])
    }

    private func sent(to server: ScriptedServer) -> [String?] {
        server.requests.map { $0.headers["cookie"] }
    }

    /// The files of the jars, without those of their locks.
    private func jarFiles(_ job: JobFolder) throws -> [String] {
        guard job.folder.contains(Self.jars) else { return [] }
        return try job.folder.list(Self.jars).filter { !$0.hasSuffix(".lock") }
    }

    @Test func `a default session keeps its cookies for the next run, in a file of its own`() throws
    {
        let server = try server()
        let job = try job(server)
        #expect(try job.run().code == 0)
        let file = "\(Self.jars)/\(try #require(try jarFiles(job).first))"
        #expect(try job.folder.mode(of: file) == 0o600)
        #expect(try job.folder.mode(of: Self.jars) == 0o700)
        let run = try job.run()
        #expect(run.code == 0)
        #expect(run.command.standardError.contains("warning") == false)
        #expect(sent(to: server) == [nil, "kept=k3pt"])
        // Its value is for the server alone.
        let report = try job.folder.text("report.json")
        #expect(!(report + run.command.standardError).contains("k3pt"))
    }

    @Test(arguments: [
        "{ configuration: ephemeral }", "{ httpCookieAcceptPolicy: never }",
    ])
    func `other sessions leave nothing on disk`(session: String) throws {
        let server = try server()
        let job = try job(server, session: session)
        for _ in 0..<2 { #expect(try job.run().code == 0) }
        #expect(try jarFiles(job) == [])
        #expect(sent(to: server) == [nil, nil])
    }

    @Test func `a session that sends no cookies still keeps them`() throws {
        let server = try server()
        let job = try job(server, session: "{ httpShouldSetCookies: false }")
        for _ in 0..<2 { #expect(try job.run().code == 0) }
        #expect(sent(to: server) == [nil, nil])
        try job.folder.write(
            try job.folder.text("job.yaml").replacing("Cookies: false", with: "Cookies: true"),
            to: "job.yaml"
        )
        #expect(try job.run().code == 0)
        #expect(sent(to: server).last == "kept=k3pt")
    }

    @Test func `each session of each job has a jar of its own`() throws {
        let server = try ScriptedServer { request in
            .ok("x", ["Set-Cookie: from=\(request.path.dropFirst()); Max-Age=600; Path=/"])
        }
        let job = try JobFolder(
            """
            version: 1
            sessions: { one: {}, two: {} }
            data:
              a: { session: one, url: \(server.url("/one")) }
              b: { session: two, url: \(server.url("/two")) }
            """
        )
        for _ in 0..<2 { #expect(try job.run().code == 0) }
        #expect(try jarFiles(job).count == 2)
        #expect(Set(sent(to: server).dropFirst(2)) == ["from=one", "from=two"])
        try job.folder.write(try job.folder.text("job.yaml"), to: "other.yaml")
        #expect(try job.runner(["run", "other.yaml"]).status == .exit(0))
        #expect(Set(sent(to: server).suffix(2)) == [nil])
        #expect(try jarFiles(job).count == 4)
    }

    @Test func `a broken jar causes a warning, is not used, and is made anew`() throws {
        let server = try server()
        let job = try job(server)
        #expect(try job.run().code == 0)
        let file = "\(Self.jars)/\(try #require(try jarFiles(job).first))"
        try job.folder.write(
            try job.folder.text(file).replacing("k3pt", with: "evil"),
            to: file,
            mode: 0o600
        )
        let run = try job.run()
        #expect(run.code == 0)
        #expect(
            run.command.standardError.contains("warning: the cookies of session s are not used")
        )
        #expect(try job.run().command.standardError.contains("warning") == false)
        #expect(sent(to: server) == [nil, nil, "kept=k3pt"])
    }

    @Test func `cookies that cannot be kept do not fail a job`() throws {
        let server = try server()
        let job = try job(server)
        try job.folder.makeFolder("state")
        try job.folder.write("", to: "state/cookies")
        let run = try job.run("--state-dir", "state")
        #expect(run.code == 0)
        #expect(
            run.command.standardError.contains("warning: the cookies of session s are not kept")
        )
    }

    @Test func `two runs at once lose none of each other's cookies`() throws {
        let both = try Gate()
        let arrived = Lock(0)
        let server = try ScriptedServer { request in
            guard request.path == "/wait" else { return .ok("x") }
            let count = arrived.withLock { count in
                count += 1
                return count
            }
            if count == 2 { both.open() }
            let reply = Reply.ok("x", ["Set-Cookie: run\(count)=1; Max-Age=600; Path=/"])
            return Reply([.wait(both)] + reply.steps)
        }
        let job = try job(server, url: "\(server.origin)/${env.STEP}")
        let runs = try (1...2).map { number in
            try job.command(
                ["run", "job.yaml", "--report", "\(number).json"],
                environment: ["STEP": "wait"]
            ).start()
        }
        for run in runs { #expect(try run.finish().status == .exit(0)) }
        #expect(try job.run(environment: ["STEP": "end"]).code == 0)
        let last = try #require(sent(to: server).last ?? nil)
        #expect(Set(last.split(separator: "; ")) == ["run1=1", "run2=1"])
    }

    @Test func `an interrupted run keeps its cookies`() throws {
        let asked = try Gate()
        let server = try ScriptedServer([
            "/": [
                .status(302, ["Location: /slow", "Set-Cookie: kept=1; Max-Age=600"]), .ok("x"),
            ],
            "/slow": [Reply([.open(asked), .waitForPeerToLeave])],
        ])
        let job = try job(server)
        let running = try job.runCommand().start()
        try asked.wait()
        running.signal(15)
        _ = try running.waitForLine(containing: "stopping")
        running.signal(15)
        #expect(try running.finish().status == .exit(143))
        #expect(try job.run().code == 0)
        #expect(sent(to: server).last == "kept=1")
    }

    @Test func `a killed run leaves the jar unchanged`() throws {
        let asked = try Gate()
        let server = try ScriptedServer([
            "/": [
                .ok("x", ["Set-Cookie: kept=old; Max-Age=600"]),
                .status(302, ["Location: /slow", "Set-Cookie: kept=new; Max-Age=600"]), .ok("x"),
            ],
            "/slow": [Reply([.open(asked), .waitForPeerToLeave])],
        ])
        let job = try job(server)
        #expect(try job.run().code == 0)
        let running = try job.runCommand().start()
        try asked.wait()
        running.signal(9)
        _ = try running.finish()
        #expect(try job.run().code == 0)
        #expect(sent(to: server).last == "kept=old")
        #expect(try jarFiles(job).count == 1)
    }

    @Test func `a cookie with a secret in it is not written to disk`() throws {
        let server = try ScriptedServer { request in
            guard let token = request.headers["x-token"] else { return .ok("x") }
            return .ok(
                "x",
                ["Set-Cookie: echo=\(token); Max-Age=600", "Set-Cookie: b=2; Max-Age=600"]
            )
        }
        let job = try JobFolder(
            """
            version: 1
            secrets: { token: { env: TOKEN } }
            data:
              a: { url: "\(server.url("/"))", headers: { X-Token: "${secret.token}" } }
              b: { url: "\(server.url("/"))", needs: [a] }
            """
        )
        #expect(try job.run(environment: ["TOKEN": "hush-hush"]).code == 0)
        #expect(sent(to: server) == [nil, "echo=hush-hush; b=2"])
        let file = "\(Self.jars)/\(try #require(try jarFiles(job).first))"
        #expect(try job.folder.text(file).contains("hush") == false)
        #expect(try job.run(environment: ["TOKEN": "hush-hush"]).code == 0)
        #expect(sent(to: server).dropFirst(2).first == "b=2")
    }

    @Test func `cookies of nginx are kept`() throws {
        let nginx = try Nginx(
            locations: """
                location = /login {
                    add_header Set-Cookie "user=me; Path=/; HttpOnly; SameSite=Lax" always;
                    add_header Set-Cookie "theme=dark; Expires=Wed, 31 Dec 2098 23:59:59 GMT" always;
                    return 302 /who;
                }
                location = /who { return 200 "$cookie_user $cookie_theme"; }
                """
        )
        let job = try JobFolder(
            """
            version: 1
            downloads: { a: { url: "\(nginx.origin)/${env.STEP}", to: who.txt } }
            """
        )
        #expect(try job.run(environment: ["STEP": "login"]).code == 0)
        #expect(try job.folder.text("who.txt") == "me dark")
        #expect(try job.run(environment: ["STEP": "who"]).code == 0)
        #expect(try job.folder.text("who.txt") == " dark")
    }

    @Test func `the plan has the cookie policies of a session`() throws {
        let server = try server()
        let job = try job(server, session: "{ httpCookieAcceptPolicy: always }")
        let plan = try job.runner(["plan", "job.yaml"]).standardOutput
        #expect(plan.contains("httpCookieAcceptPolicy"))
        #expect(plan.contains("always"))
    }
}
