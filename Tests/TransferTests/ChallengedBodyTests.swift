import TestSupport
import Testing
import Transfer
import TransferModel

/// Bodies, refused credentials and legs of libcurl's own, against scripted servers.
@Suite struct ChallengedBodyTests {
    private static let login = Login(user: "me", password: Secret("open sesame"))
    private static let body: BodySource = .bytes(Array("secret order".utf8))
    private static let digest = "Digest realm=\"x\", nonce=\"n1\", qop=\"auth\""

    private static func harness(
        _ server: ScriptedServer,
        _ proofs: Credential.Proof...
    ) throws -> EngineHarness {
        let origin = try TransferURL(server.origin).origin
        return try EngineHarness {
            $0.credentials = proofs.map {
                Credential(space: .init(scope: .origin(origin)), proof: $0)
            }
        }
    }

    /// Accepts any credential below `/in`, and answers other requests without a challenge.
    private static func halfOpenServer(
        _ challenge: String,
        elsewhere: @escaping @Sendable (RecordedRequest) -> Reply
    ) throws -> ScriptedServer {
        try ScriptedServer { request in
            guard request.path == "/in" else { return elsewhere(request) }
            let proof = request.headers["authorization"] ?? ""
            if proof.hasPrefix("Digest ") || proof.hasPrefix("NTLM TlRMTVNTUAAD") {
                return .ok("in")
            }
            let answer = proof.isEmpty ? challenge : "NTLM \(ntlmChallenge)"
            return .status(401, ["WWW-Authenticate: \(answer)"], text: "who?")
        }
    }

    @Test(arguments: [
        ["Connection: close"], ["Connection: close, TE"], ["Connection: TE", "Connection: close"],
    ])
    func `a challenge's missing body is not counted`(fields: [String]) throws {
        let server = try ScriptedServer { request in
            let proof = request.headers["authorization"] ?? ""
            if proof.isEmpty {
                return .status(401, ["WWW-Authenticate: \(Self.digest)"], text: "who?")
            }
            guard proof.contains("n1") else { return .ok("in") }
            let challenge = Self.digest.replacing("n1", with: "n2") + ", stale=true"
            let lines = ["WWW-Authenticate: \(challenge)", "Content-Length: 50"] + fields
            return Reply([.send(Reply.head(401, lines)), .close])
        }
        let result = try Self.harness(server, .digest(Self.login)).run(.to(server.url("/")))
        #expect(result.failure == nil)
        let transactions = result.transactions
        #expect(transactions.compactMap(\.response?.statusCode) == [401, 401, 200])
        #expect(transactions.map(\.countOfResponseBodyBytesReceived) == [4, 0, 2])
        #expect(transactions.map { $0.responseEndDate != nil } == [true, false, true])
    }

    @Test(arguments: [(Credential.Proof.digest(login), digest), (.ntlm(login), "NTLM")])
    func `a known server that does not ask gets the body at once`(
        proof: Credential.Proof,
        challenge: String
    ) throws {
        let server = try Self.halfOpenServer(challenge) { request in
            switch (request.path, request.body.count) {
            case ("/see", 12): .status(303, ["Location: /done"])
            case ("/need", 0): .status(400)
            default: .ok("x")
            }
        }
        let harness = try Self.harness(server, proof)
        #expect(try harness.run(.to(server.url("/in"))).failure == nil)
        for path in ["/see", "/open", "/need"] {
            let result = try harness.run(
                .to(server.url(path), method: "POST", body: Self.body)
            )
            #expect(result.failure == nil)
            let posts = server.requests.filter { $0.path == path }
            #expect(posts.map(\.body.count) == [12])
        }
    }

    @Test(arguments: [200, 303, 400, 503])
    func `a response to a request without its body is no result`(status: Int) throws {
        let server = try ScriptedServer { request in
            switch (request.path, request.headers["authorization"]) {
            case ("/done", _): .ok("done")
            case (_, nil): .status(401, ["WWW-Authenticate: NTLM"], text: "who?")
            default: .status(status, ["Location: /done"], text: "taken")
            }
        }
        let harness = try Self.harness(server, .ntlm(Self.login))
        let result = try harness.run(
            .to(server.url("/"), method: "POST", body: Self.body) {
                $0.expectation.statusCodes = [200...200, 400...400]
            }
        )
        #expect(result.failure?.kind == .httpStatus)
        #expect(result.failure?.httpStatus == status)
        #expect(server.requests.count == 2)
    }

    @Test func `a server that only ever names NTLM is left after one answer`() throws {
        let server = try ScriptedServer { _ in
            .status(401, ["WWW-Authenticate: NTLM"], text: "who?")
        }
        let harness = try Self.harness(server, .ntlm(Self.login))
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure?.httpStatus == 401)
        #expect(result.failure?.isPermanent == true)
        #expect(server.requests.count == 2)
        #expect(result.transactions.map(\.reason) == [.initial, .authentication])
        #expect(result.transactions.allSatisfy { $0.curlCode == nil })
        #expect(result.transactions.allSatisfy { $0.responseEndDate != nil })
    }

    @Test func `a refused NTLM answer gives way to Basic`() throws {
        let server = try ScriptedServer { request in
            if request.headers["authorization"]?.hasPrefix("Basic ") == true { return .ok("in") }
            let challenges = ["WWW-Authenticate: NTLM", "WWW-Authenticate: Basic realm=x"]
            return .status(401, challenges, text: "who?")
        }
        let harness = try Self.harness(server, .ntlm(Self.login), .basic(Self.login))
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure == nil)
        #expect(
            server.requests.map { $0.headers["authorization"]?.prefix(5) }
                == [nil, "NTLM ", "Basic"]
        )
    }

    @Test func `the third refused credential is not sent again`() throws {
        let server = try ScriptedServer { _ in
            let challenges = [
                "WWW-Authenticate: \(Self.digest)", "WWW-Authenticate: Basic realm=x",
            ]
            return .status(401, challenges, text: "who?")
        }
        let other = Login(user: "other", password: Secret("open sesame"))
        let harness = try Self.harness(
            server,
            .bearer(Secret("token")),
            .digest(Self.login),
            .digest(other),
            .basic(Self.login)
        )
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure?.httpStatus == 401)
        let proofs = server.requests.compactMap { $0.headers["authorization"] }
        #expect(proofs.count == 3)
        #expect(proofs.filter { $0.contains("username=\"other\"") }.count == 1)
    }

    @Test func `a signature that is refused gives way to Basic`() throws {
        let server = try ScriptedServer { request in
            if request.headers["authorization"]?.hasPrefix("Basic ") == true { return .ok("in") }
            return .status(401, ["WWW-Authenticate: Basic realm=x"], text: "who?")
        }
        let keys = AWSCredential(
            accessKey: "A",
            secretKey: Secret("secret"),
            sessionToken: nil,
            region: "r",
            service: "s3"
        )
        let harness = try Self.harness(server, .awsSigV4(keys), .basic(Self.login))
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure == nil)
        #expect(
            server.requests.map { $0.headers["authorization"]?.prefix(5) } == ["AWS4-", "Basic"]
        )
        #expect(server.requests.last?.headers["x-amz-date"] == nil)
    }
}
