import TestSupport
import Testing
import TransferModel

/// Credentials against the servers that people have.
@Suite struct CredentialTests {
    private static let password = "open sesame"
    private static let environment: [String: String?] = ["PASSWORD": password]

    /// A job with those credentials, whose password is the secret `password`.
    private static func job(_ credentials: [String], _ tasks: String) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            secrets: { password: { env: PASSWORD } }
            sessions:
              main: { credentials: [\(credentials.joined(separator: ", "))] }
            \(tasks)
            """
        )
    }

    private static func login(_ method: String, _ host: String = "localhost") -> String {
        "{ method: \(method), host: \(host), user: me, password: '${secret.password}' }"
    }

    private static func reasons(_ run: RunOutcome, _ id: String) -> [String?] {
        run.exchanges(id).map { $0["reason"]?.string }
    }

    private static func statuses(_ run: RunOutcome, _ id: String) -> [Int64?] {
        run.exchanges(id).map { $0["response"]?["statusCode"]?.integer }
    }

    /// Everything that the run has left, as one text.
    private static func traces(_ run: RunOutcome, _ job: JobFolder) throws -> String {
        try job.folder.text("report.json") + run.command.standardOutput
            + run.command.standardError
    }

    @Test(arguments: ["basic", "digest"])
    func `Apache accepts the right password`(method: String) throws {
        let backend = try ScriptedServer { .ok("got \($0.body.count)") }
        let apache = try Apache(backend: backend.origin)
        let job = try Self.job(
            [Self.login(method)],
            """
            schedule: { maxConcurrentTasks: 1 }
            downloads: { get: { url: "\(apache.url("/\(method)/file"))", to: file } }
            uploads:
              post: { url: "\(apache.url("/\(method)/order"))", text: "an order", needs: [get] }
            """
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0)
        #expect(Self.reasons(run, "get") == ["initial", "auth"])
        #expect(Self.statuses(run, "get") == [401, 200])
        #expect(try job.folder.text("file") == "got 0")
        // The server is known: Basic goes at once, Digest asks with an empty request.
        let isBasic = method == "basic"
        #expect(Self.statuses(run, "post") == (isBasic ? [200] : [401, 200]))
        let sent = run.exchanges("post").map { $0["countOfRequestBodyBytesSent"]?.integer }
        #expect(sent == (isBasic ? [8] : [0, 8]))
        #expect(backend.requests.map(\.text) == ["", "an order"])
        #expect(try !Self.traces(run, job).contains("sesame"))
    }

    @Test func `Digest is preferred to Basic when both match`() throws {
        let backend = try ScriptedServer { _ in .ok("x") }
        let apache = try Apache(backend: backend.origin)
        let job = try Self.job(
            [Self.login("basic"), Self.login("digest")],
            """
            data: { it: { url: "\(apache.url("/digest/file"))" } }
            uploads: { post: { url: "\(apache.url("/digest/order"))", text: "an order", needs: [it] } }
            """
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0)
        let proofs = backend.requests.map { $0.headers["authorization"]?.prefix(7) }
        #expect(proofs == ["Digest ", "Digest "])
    }

    @Test func `a wrong password fails once and is not tried again`() throws {
        let backend = try ScriptedServer { _ in .ok("x") }
        let apache = try Apache(backend: backend.origin)
        let job = try Self.job(
            [Self.login("digest")],
            """
            data: { it: { url: "\(apache.url("/digest/file"))", retry: { on: [401] } } }
            """
        )
        let run = try job.run(environment: ["PASSWORD": "open parsley"])
        #expect(run.code == 1)
        #expect(run.kind("it") == "httpStatus")
        #expect(run.attempts("it").count == 1)
        #expect(Self.statuses(run, "it") == [401, 401])
        let help = run.task("it")?["error"]?["help"]?.string
        #expect(help == "the server refused the session's credential (digest)")
        #expect(backend.requests.isEmpty)
    }

    @Test func `a ticket of the realm opens what Negotiate protects, with and without a body`()
        throws
    {
        let realm = try KerberosRealm()
        let backend = try ScriptedServer { .ok("got \($0.body.count)") }
        let apache = try Apache(backend: backend.origin, realm: realm)
        let job = try Self.job(
            ["{ method: negotiate, host: localhost }"],
            """
            schedule: { maxConcurrentTasks: 1 }
            data:
              get: { url: "\(apache.url("/negotiate/file"))" }
              open: { url: "\(apache.url("/open"))", needs: [get] }
            uploads:
              post: { url: "\(apache.url("/negotiate/order"))", text: "an order", needs: [open] }
            """
        )
        let run = try job.run(environment: realm.environment)
        #expect(run.code == 0)
        #expect(Self.statuses(run, "get") == [401, 200])
        #expect(Self.reasons(run, "get") == ["initial", "auth"])
        #expect(backend.requests.last?.text == "an order")
        let sent = run.exchanges("post").compactMap { $0["countOfRequestBodyBytesSent"]?.integer }
        #expect(sent.reduce(0, +) == 8)
        // No other exchange gets the authenticated connection.
        #expect(run.exchanges("open").map { $0["isReusedConnection"]?.bool } == [false])
        #expect(try !Self.traces(run, job).contains(/YII[A-Za-z0-9+\/]{20}/))

        let without = try job.run(environment: realm.environmentWithoutTicket)
        #expect(without.code == 1)
        #expect(without.kind("get") == "httpStatus")
    }

    @Test func `nginx accepts the right password`() throws {
        let users = try TemporaryFolder()
        let file = try users.write("me:{SHA}W8r/fyL/UzygmbNAjq2HbA67qac=\n", to: "users")
        let nginx = try Nginx(
            locations: """
                location /secret/ {
                    rewrite ^/secret(/.*)$ $1 break;
                    auth_basic "Orders";
                    auth_basic_user_file \(file);
                }
                location /secret/orders {
                    auth_basic "Orders";
                    auth_basic_user_file \(file);
                    try_files /none /orders;
                }
                """
        )
        try nginx.root.write("content", to: "file.txt")
        let job = try JobFolder(
            """
            version: 1
            secrets: { password: { env: PASSWORD }, wrong: { env: WRONG } }
            sessions:
              right: { credentials: [\(Self.login("basic", "127.0.0.1"))] }
              wrong:
                credentials: [{ method: basic, host: 127.0.0.1, user: me, password: '${secret.wrong}' }]
            schedule: { maxConcurrentTasks: 1 }
            downloads:
              get: { url: "\(nginx.origin)/secret/file.txt", to: file, session: right }
            uploads:
              post:
                { url: "\(nginx.origin)/secret/orders", text: "an order", session: right, needs: [get] }
            data:
              first: { url: "\(nginx.origin)/secret/1", session: wrong, needs: [post] }
              second: { url: "\(nginx.origin)/secret/2", session: wrong, needs: [post] }
            """
        )
        let run = try job.run(environment: ["PASSWORD": Self.password, "WRONG": "open parsley"])
        #expect(Self.statuses(run, "get") == [401, 200])
        #expect(Self.reasons(run, "get") == ["initial", "auth"])
        #expect(try job.folder.text("file") == "content")
        #expect(Self.statuses(run, "post") == [201])
        #expect(try nginx.requests().last { $0.status == 201 }?.body == Array("an order".utf8))
        #expect(
            [Self.statuses(run, "first"), Self.statuses(run, "second")]
                == [[401, 401], [401, 401]]
        )
        for id in ["first", "second"] {
            let help = run.task(id)?["error"]?["help"]?.string
            #expect(help == "the server refused the session's credential (basic)")
        }
        #expect(try !Self.traces(run, job).contains("sesame"))
    }

    @Test func `nginx gets Basic from a netrc file that the session asks for`() throws {
        let nginx = try Nginx(
            locations: """
                location /secret/ {
                    auth_basic "Orders";
                    auth_basic_user_file /dev/null;
                }
                """
        )
        let server = try ScriptedServer { request in
            let isRight = request.headers["authorization"] == "Basic bWU6b3BlbiBzZXNhbWU="
            return isRight
                ? .ok("in")
                : .status(401, ["WWW-Authenticate: Basic realm=\"x\""], text: "open sesame?")
        }
        let job = try JobFolder(
            """
            version: 1
            sessions:
              with: { credentials: [{ method: netrc }] }
              without: {}
            data:
              right: { url: "\(server.url("/"))", session: with }
              wrong: { url: "\(nginx.origin)/secret/x", session: with }
              none: { url: "\(server.url("/"))", session: without }
            """
        )
        try job.folder.write(
            "machine 127.0.0.1 login me password \"open sesame\"",
            to: ".netrc",
            mode: 0o600
        )
        let run = try job.run()
        #expect(run.outcome("right") == "succeeded")
        #expect(Self.statuses(run, "wrong") == [401, 401])
        #expect(Self.statuses(run, "none") == [401])
        #expect(try !Self.traces(run, job).contains("sesame"))
    }

    @Test func `a login goes over TLS to a server that hides what is private`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(
            certificate: certificates.server,
            locations: """
                location /hidden/ {
                    if ($http_authorization = "") { return 404; }
                    rewrite ^/hidden(/.*)$ $1 break;
                }
                """
        )
        try nginx.root.write("content", to: "file.txt")
        let url = "\(try #require(nginx.secureOrigin))/hidden/file.txt"
        let login = "method: basic, host: localhost, user: me, password: '${secret.password}'"
        let job = try JobFolder(
            """
            version: 1
            secrets: { password: { env: PASSWORD } }
            defaults: { retry: 1 }
            sessions:
              own: { tls: &tls { caFile: \(certificates.authorityFile) }, credentials: [{ \(login) }] }
              file: { tls: *tls, credentials: [{ method: netrc }] }
              patient: { tls: *tls, credentials: [{ \(login), challenge: wait }] }
            downloads:
              own: { session: own, url: "\(url)", to: own }
              file: { session: file, url: "\(url)", to: file }
              patient: { session: patient, url: "\(url)", to: patient }
            """
        )
        try job.folder.write("machine localhost login me password x", to: ".netrc", mode: 0o600)
        let run = try job.run(environment: ["PASSWORD": Self.password])
        for id in ["own", "file"] {
            #expect(run.outcome(id) == "succeeded", "\(run.command.standardError)")
            #expect(Self.statuses(run, id) == [200])
        }
        #expect(Self.statuses(run, "patient") == [404])
        let help = run.task("patient")?["error"]?["help"]?.string
        #expect(help?.contains("the session's login (basic) was not sent") == true)
    }

    // CVE-2024-11053 is the same in curl: an entry without a password took the one before it.
    @Test(arguments: ["", "machine localhost", "machine localhost login you", "default login you"])
    func `a redirect to a host without a password in the netrc file gets none`(
        entry: String
    ) throws {
        let challenge = ["WWW-Authenticate: Basic realm=x"]
        let stranger = try ScriptedServer { _ in .status(401, challenge) }
        let server = try ScriptedServer { request in
            request.headers["authorization"] == nil
                ? .status(401, challenge)
                : .redirect(to: "http://localhost:\(stranger.port)/")
        }
        let job = try JobFolder(
            """
            version: 1
            sessions: { main: { credentials: [{ method: netrc }] } }
            data: { it: { url: "\(server.url("/"))" } }
            """
        )
        let logins = "machine 127.0.0.1 login me password \"open sesame\"\n\(entry)\n"
        try job.folder.write(logins, to: ".netrc", mode: 0o600)
        let run = try job.run()
        #expect(Self.statuses(run, "it") == [401, 302, 401])
        #expect(Self.reasons(run, "it") == ["initial", "auth", "redirect"])
        #expect(stranger.requests.map { $0.headers["authorization"] } == [nil])
        #expect(try !Self.traces(run, job).contains("sesame"))
    }

    @Test(arguments: [(0o644, "chmod 600"), (0o600, ":1: `machine` or `default` is expected")])
    func `an unusable netrc file ends the run before any request`(
        mode: UInt32,
        message: String
    ) throws {
        let job = try JobFolder(
            """
            version: 1
            sessions: { main: { credentials: [{ method: netrc, file: logins }] } }
            data: { it: { url: "http://127.0.0.1:9/" } }
            """
        )
        try job.folder.write("hunter2", to: "logins", mode: mode)
        let outcome = try job.runner(["run", "job.yaml"])
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains(message))
        #expect(!outcome.standardError.contains("hunter2"))
    }

    @Test func `requests to AWS are signed`() throws {
        let moto = try Moto()
        func keys(_ secret: String) -> String {
            "{ method: awsSigV4, origin: \"\(moto.origin)\", accessKey: \(moto.accessKey), "
                + "secretKey: '${secret.\(secret)}', region: us-east-1, service: s3 }"
        }
        let job = try JobFolder(
            """
            version: 1
            secrets: { right: { env: RIGHT }, wrong: { env: WRONG } }
            sessions:
              right: { credentials: [\(keys("right"))] }
              wrong: { credentials: [\(keys("wrong"))] }
            uploads:
              put:
                session: right
                url: "\(moto.origin)/bucket/a%20folder/key"
                method: PUT
                text: content
                headers: { X-Amz-Meta-Note: "two  words" }
                needs: [bucket]
            data:
              bucket: { session: right, url: "\(moto.origin)/bucket", method: PUT }
              list: { session: right, url: "\(moto.origin)/bucket?prefix=a&list-type=2", needs: [put] }
              stranger: { session: wrong, url: "\(moto.origin)/bucket?list-type=2", needs: [put] }
            downloads:
              get: { session: right, url: "\(moto.origin)/bucket/a%20folder/key", to: key, needs: [put] }
              written: { session: right, url: "\(moto.origin)/bucket/%61%20folder/%6bey", to: same, needs: [put] }
            """
        )
        let run = try job.run(environment: ["RIGHT": moto.secretKey, "WRONG": "not the right key"])
        for id in ["bucket", "put", "list", "get", "written"] {
            #expect(run.outcome(id) == "succeeded", "\(id)")
            #expect(Self.reasons(run, id) == ["initial"])
        }
        #expect(try job.folder.text("key") == "content")
        #expect(try job.folder.text("same") == "content")
        let written = run.exchanges("written").first?["request"]?["url"]?.string
        #expect(written == "\(moto.origin)/bucket/a%20folder/key")
        #expect(Self.statuses(run, "stranger") == [403])
        #expect(try !Self.traces(run, job).contains(moto.secretKey))
    }
}
