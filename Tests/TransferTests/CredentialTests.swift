import CurlKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Sessions with credentials against scripted servers.
@Suite struct CredentialTests {
    private static let login = Login(user: "me", password: Secret("open sesame"))
    /// `me:open sesame` in base64.
    private static let basic = "Basic bWU6b3BlbiBzZXNhbWU="

    private static func harness(_ credentials: Credential...) throws -> EngineHarness {
        try EngineHarness { $0.credentials = credentials }
    }

    private static func credential(
        _ proof: Credential.Proof,
        for server: ScriptedServer,
        realm: String? = nil
    ) throws -> Credential {
        let origin = try TransferURL(server.origin).origin
        return Credential(space: .init(scope: .origin(origin), realm: realm), proof: proof)
    }

    /// Answers requests whose credential passes the test's check; challenges all others.
    private static func server(
        _ challenge: String,
        accepts: @escaping @Sendable (String) -> Bool
    ) throws -> ScriptedServer {
        try ScriptedServer { request in
            if let proof = request.headers["authorization"], accepts(proof) { return .ok("in") }
            return .status(401, ["WWW-Authenticate: \(challenge)"], text: "who are you?")
        }
    }

    @Test func `a challenge is answered, and later requests carry the answer at once`() throws {
        let server = try Self.server("Basic realm=x") { $0 == Self.basic }
        let harness = try Self.harness(Self.credential(.basic(Self.login), for: server))
        let first = try harness.run(.to(server.url("/a")))
        #expect(first.failure == nil)
        #expect(first.transactions.map(\.reason) == [.initial, .authentication])
        #expect(first.transactions.compactMap(\.response?.statusCode) == [401, 200])
        #expect(first.transactions.map(\.isReusedConnection) == [false, true])
        #expect(first.transactions.allSatisfy { $0.responseEndDate != nil })
        #expect(first.countOfBytesReceived == 2)
        let second = try harness.run(.to(server.url("/b/c")))
        #expect(second.transactions.map(\.reason) == [.initial])
        #expect(
            server.requests.map { $0.headers["authorization"] } == [nil, Self.basic, Self.basic]
        )
    }

    @Test func `a refused credential ends the attempt with the server's message`() throws {
        let server = try Self.server("Basic realm=x") { _ in false }
        let harness = try Self.harness(Self.credential(.basic(Self.login), for: server))
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure?.kind == .httpStatus)
        #expect(result.failure?.httpStatus == 401)
        #expect(result.failure?.isPermanent == true)
        #expect(result.failure?.help == "the server refused the session's credential (basic)")
        #expect(result.checks.map(\.passed) == [true, false])
        #expect(server.requests.count == 2)
        // Nothing of it is left on the handle.
        let other = try ScriptedServer(["/": [.ok("x")]])
        #expect(try harness.run(.to(other.url("/"))).failure == nil)
        #expect(other.requests.map { $0.headers["authorization"] } == [nil])
    }

    @Test func `a login that one place refuses is right at another`() throws {
        let server = try ScriptedServer { request in
            request.headers["authorization"] != nil && request.path != "/forbidden"
                ? .ok("in") : .status(401, ["WWW-Authenticate: Basic realm=x"], text: "no")
        }
        let harness = try Self.harness(Self.credential(.basic(Self.login), for: server))
        let forbidden = try harness.run(.to(server.url("/forbidden")))
        #expect(forbidden.failure?.httpStatus == 401)
        let order = try harness.run(
            .to(server.url("/orders"), method: "POST", body: .bytes([65]))
        )
        #expect(order.failure == nil)
        #expect(server.requests(for: "/orders").map(\.body) == [[65]])
        let paths = ["/", "/forbidden", "/other", "/forbidden"]
        let statuses = try paths.map {
            try harness.run(.to(server.url($0))).response?.statusCode
        }
        #expect(statuses == [200, 401, 200, 401])
    }

    // RFC 9110 §10.1.1.
    @Test func `a server without 100-continue gets the body at once`() throws {
        let server = try ScriptedServer(maximumBodyRead: 0) { request in
            if request.headers["expect"] != nil { return .status(417) }
            guard request.headers["authorization"] != nil else {
                let challenge = "WWW-Authenticate: Digest realm=x, nonce=n, qop=\"auth\""
                return .status(401, [challenge], text: "who?")
            }
            return .ok("in")
        }
        let harness = try Self.harness(Self.credential(.digest(Self.login), for: server))
        let result = try harness.run(
            .to(server.url("/"), method: "POST", body: .bytes([65, 66]))
        )
        #expect(result.failure == nil)
        #expect(result.transactions.compactMap(\.response?.statusCode) == [417, 401, 200])
        #expect(
            result.transactions.map(\.reason) == [.initial, .transparentRetry, .authentication]
        )
        // So does one that the task itself wants to ask.
        let own = [HeaderField(name: "Expect", value: "100-continue")]
        let asked = try harness.run(
            .to(server.url("/"), method: "POST", headers: own, body: .bytes([65]))
        )
        #expect(asked.failure == nil)
        #expect(asked.transactions.compactMap(\.response?.statusCode) == [417, 401, 200])
    }

    @Test(arguments: [true, false])
    func `a body that the runner held back is not sent twice after a late 417`(
        isIdempotent: Bool
    ) throws {
        // The body arrives, because libcurl waits for a second only.
        let server = try ScriptedServer { request in
            request.headers["expect"] == nil ? .ok("in") : .status(417)
        }
        let harness = try Self.harness(Self.credential(.digest(Self.login), for: server))
        var request = try AttemptRequest.to(
            server.url("/"),
            method: isIdempotent ? "PUT" : "POST",
            body: .bytes(Array("order".utf8))
        )
        request.resending = .idempotent
        let result = try harness.run(request)
        #expect(result.failure?.httpStatus == (isIdempotent ? nil : 417))
        #expect(server.requests.count == (isIdempotent ? 2 : 1))
    }

    @Test func `a path with percent-encoded dots may leave a realm`() throws {
        let server = try Self.server("Basic realm=x") { $0 == Self.basic }
        let credential = try Self.credential(.basic(Self.login), for: server, realm: "x")
        let harness = try Self.harness(credential)
        _ = try harness.run(.to(server.url("/basic/file")))
        let other = try harness.run(.to(server.url("/basic/%2e%2E/open")))
        #expect(other.transactions.map(\.reason) == [.initial, .authentication])
    }

    @Test func `a challenge without a matching credential is reported`() throws {
        let server = try Self.server("Digest realm=x, nonce=n") { _ in false }
        let harness = try Self.harness(Self.credential(.basic(Self.login), for: server))
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure?.httpStatus == 401)
        #expect(result.failure?.isPermanent == false)
        let help = "the server asks for digest, and no credential of the session fits"
        #expect(result.failure?.help == help)
        #expect(server.requests.count == 1)
    }

    @Test func `an expected 401 without a matching credential is the result`() throws {
        let server = try Self.server("Basic realm=x") { _ in false }
        let harness = try Self.harness(Self.credential(.basic(Self.login), for: server))
        let result = try harness.run(
            .to(server.url("/")) { $0.expectation.statusCodes = [401...401] }
        )
        #expect(result.failure == nil)
        #expect(result.countOfBytesReceived == 12)
    }

    @Test func `a bearer's token goes to its origin at once and nowhere else`() throws {
        let other = try ScriptedServer { request in
            .redirect(to: "\(request.target.dropFirst(2))")
        }
        let server = try ScriptedServer { request in
            request.path == "/" ? .redirect(to: other.url("/?http://127.0.0.1:1")) : .ok("x")
        }
        let back = try ScriptedServer { _ in .redirect(to: server.url("/end")) }
        let home = try ScriptedServer { _ in .redirect(to: back.url("/")) }
        let harness = try Self.harness(
            Self.credential(.bearer(Secret("t0ken")), for: server),
            Self.credential(.bearer(Secret("other")), for: home)
        )
        let result = try harness.run(.to(home.url("/")))
        #expect(result.failure == nil)
        #expect(home.requests.map { $0.headers["authorization"] } == ["Bearer other"])
        #expect(back.requests.map { $0.headers["authorization"] } == [nil])
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer t0ken"])
    }

    @Test func `a task's own Authorization replaces the session's credential`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let harness = try Self.harness(Self.credential(.bearer(Secret("t0ken")), for: server))
        let own = [HeaderField(name: "AUTHORIZATION", value: "Own it")]
        _ = try harness.run(.to(server.url("/"), headers: own))
        #expect(server.requests.map { $0.headers["authorization"] } == ["Own it"])
    }

    @Test(arguments: [100, 100_000])
    func `a body goes once with Basic`(size: Int) throws {
        let server = try Self.server("Basic realm=x") { $0 == Self.basic }
        let harness = try Self.harness(Self.credential(.basic(Self.login), for: server))
        let body = [UInt8](repeating: 65, count: size)
        let result = try harness.run(.to(server.url("/"), method: "POST", body: .bytes(body)))
        #expect(result.failure == nil)
        #expect(result.transactions.map(\.reason) == [.initial])
        #expect(server.requests.map(\.body.count) == [size])
    }

    /// A server's check of a Digest answer by SHA-256 (RFC 7616 §3.4).
    private static func isRight(_ proof: String, method: String) -> Bool {
        let fields = HeaderFields([HeaderField(name: "a", value: proof)])
        guard proof.hasPrefix("Digest "),
            let challenge = DigestAnswer(fields["a"] ?? ""),
            let first = MessageDigest.sha256(of: Array("me:x:open sesame".utf8)),
            let second = MessageDigest.sha256(of: Array("\(method):\(challenge["uri"])".utf8))
        else { return false }
        let parts = [
            first, challenge["nonce"], challenge["nc"], challenge["cnonce"], "auth", second,
        ]
        return MessageDigest.sha256(of: Array(parts.joined(separator: ":").utf8))
            == challenge["response"]
    }

    /// The parameters of a Digest answer.
    private struct DigestAnswer {
        private var values: [String: String] = [:]

        init?(_ text: String) {
            for part in text.dropFirst(7).split(separator: ",") {
                let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
                guard pair.count == 2 else { return nil }
                let name = pair[0].filter { $0 != " " }
                values[name] = pair[1].filter { $0 != "\"" }
            }
        }

        subscript(name: String) -> String { values[name] ?? "" }
    }

    private static let digest =
        "Digest realm=\"x\", nonce=\"n1\", qop=\"auth\", algorithm=SHA-256"

    @Test func `Digest by SHA-256 answers the challenge`() throws {
        let server = try Self.server(Self.digest) { Self.isRight($0, method: "GET") }
        let harness = try Self.harness(Self.credential(.digest(Self.login), for: server))
        let result = try harness.run(.to(server.url("/a?b=c")))
        #expect(result.failure == nil)
        #expect(result.transactions.map(\.reason) == [.initial, .authentication])
        #expect(server.requests.count == 2)
    }

    @Test func `a quotation mark in a URL does not end a Digest uri`() throws {
        let server = try Self.server(Self.digest) { $0.contains("uri=\"/%22a%22?b=%22\"") }
        let harness = try Self.harness(Self.credential(.digest(Self.login), for: server))
        let result = try harness.run(.to(server.url("/\"a\"?b=\"")))
        #expect(result.failure == nil)
        #expect(server.requests.map(\.target) == ["/%22a%22?b=%22", "/%22a%22?b=%22"])
    }

    @Test func `a stale nonce is answered once`() throws {
        let stale = Self.digest.replacing("n1", with: "n2") + ", stale=true"
        let server = try ScriptedServer { request in
            let proof = request.headers["authorization"]
            if proof?.contains("nonce=\"n2\"") == true { return .ok("in") }
            let challenge = proof == nil ? Self.digest : stale
            return .status(401, ["WWW-Authenticate: \(challenge)"], text: "no")
        }
        let harness = try Self.harness(Self.credential(.digest(Self.login), for: server))
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure == nil)
        #expect(
            result.transactions.map(\.reason) == [.initial, .authentication, .authentication]
        )
        #expect(result.transactions.compactMap(\.response?.statusCode) == [401, 401, 200])
        #expect(result.transactions.allSatisfy { $0.responseEndDate != nil })
    }

    @Test func `a refused Digest answer is not sent again`() throws {
        let server = try Self.server(Self.digest) { _ in false }
        let harness = try Self.harness(Self.credential(.digest(Self.login), for: server))
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure?.httpStatus == 401)
        #expect(result.failure?.isPermanent == true)
        #expect(server.requests.count == 2)
    }

    @Test func `an always stale nonce ends the attempt`() throws {
        let server = try Self.server(Self.digest + ", stale=true") { _ in false }
        let harness = try Self.harness(Self.credential(.digest(Self.login), for: server))
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure?.httpStatus == 401)
        #expect(result.failure?.isPermanent == true)
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [
        BodySource.bytes(Array(repeating: 65, count: 50_000)),
        .command(["seq", "2000"], folder: "/"),
    ])
    func `a body waits for the challenge and goes once`(body: BodySource) throws {
        let server = try ScriptedServer(maximumBodyRead: 0) { request in
            if request.headers["authorization"] == nil {
                return .status(401, ["WWW-Authenticate: \(Self.digest)"], text: "no")
            }
            return .ok("in")
        }
        let harness = try Self.harness(Self.credential(.digest(Self.login), for: server))
        let result = try harness.run(.to(server.url("/"), method: "POST", body: body))
        #expect(result.transactions.map(\.reason) == [.initial, .authentication])
        #expect(result.transactions.first?.countOfRequestBodyBytesSent == 0)
        #expect(result.transactions.first?.requestEndDate == nil)
        #expect(server.requests.map { $0.headers["expect"] } == ["100-continue", nil])
    }

    @Test func `NTLM's steps are records of their own, and its connection ends with them`() throws {
        let server = try ScriptedServer { request in
            let proof = request.headers["authorization"] ?? ""
            switch (proof.hasPrefix("NTLM "), proof.hasPrefix("NTLM TlRMTVNTUAAD")) {
            case (_, true): return .ok("in")
            case (true, _):
                return .status(401, ["WWW-Authenticate: NTLM \(ntlmChallenge)"], text: "go on")
            default: return .status(401, ["WWW-Authenticate: NTLM"], text: "no")
            }
        }
        let harness = try Self.harness(
            Self.credential(.ntlm(Login(user: "D\\me", password: Secret("open"))), for: server)
        )
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure == nil)
        #expect(
            result.transactions.map(\.reason) == [.initial, .authentication, .authentication]
        )
        #expect(result.transactions.compactMap(\.response?.statusCode) == [401, 401, 200])
        #expect(Set(server.requests.map(\.connection)) == [1])
        let post = try harness.run(
            .to(server.url("/"), method: "POST", body: .bytes([65, 66, 67]))
        )
        #expect(post.failure == nil)
        #expect(
            post.transactions.map(\.reason) == [.initial, .authentication, .authentication]
        )
        #expect(server.requests.last?.body == [65, 66, 67])
    }
}
