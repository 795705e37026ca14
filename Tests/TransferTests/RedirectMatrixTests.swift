import TestSupport
import Testing
import Transfer
import TransferModel

/// Every status, method and way to another origin: data of the first origin must not arrive there.
@Suite struct RedirectMatrixTests {
    /// Where the first origin's redirect leads.
    enum Way: CaseIterable {
        case otherPort
        case otherHost
        case back
        case further
        case upgrade
    }

    struct Case: CustomTestStringConvertible {
        var status: Int
        var method: String
        var way: Way

        var testDescription: String { "\(status) \(method) \(way)" }

        /// Only a request whose method is safe by then goes to another origin.
        var isFollowed: Bool {
            method == "GET" || method == "HEAD" || status == 303
                || method == "POST" && status < 303
        }

        var methodAfter: String {
            method == "HEAD" ? "HEAD" : "GET"
        }
    }

    static let cases = [301, 302, 303, 307, 308].flatMap { status in
        ["GET", "HEAD", "POST", "PUT", "DELETE"].flatMap { method in
            Way.allCases.map { Case(status: status, method: method, way: $0) }
        }
    }

    /// Values that only the first origin may see; the jar's cookie is one more.
    private static let secrets = [
        "authorization": "Basic c2VjcmV0", "x-token": "secret",
        "referer": "http://a.example/secret",
        "proxy-authorization": "Basic c2VjcmV0", "idempotency-key": "\"secret\"",
        "x-amz-security-token": "secret",
    ]

    /// A first origin, and others that know no more than their own address.
    private struct Servers {
        let home: ScriptedServer
        let away: ScriptedServer
        let further: ScriptedServer
        let nginx: Nginx?
    }

    /// Answers `/in` with the case's redirect, `/login` with a cookie, and everything else with
    /// 200.
    ///
    /// With a challenge the first origin answers only authenticated requests so, and the ends of
    /// the ways send the same challenge.
    private func servers(for matrixCase: Case, challenge: String? = nil) throws -> Servers {
        let refusal = challenge.map { Reply.status(401, ["WWW-Authenticate: \($0)"]) }
        let further = try ScriptedServer { _ in refusal ?? .ok("end") }
        let status = matrixCase.status
        let away = try ScriptedServer { request in
            switch request.path {
            case "/back":
                .redirect(status, to: "http://\(request.target.dropFirst("/back?".count))/end")
            case "/further":
                .redirect(status, to: "http://me:secret@127.0.0.1:\(further.port)/end")
            default: refusal ?? .ok("end")
            }
        }
        let nginx =
            matrixCase.way == .upgrade
            ? try Nginx(
                certificate: TestCertificates.shared().server,
                locations: "location /end { proxy_pass \(away.origin); }"
            ) : nil
        let target =
            switch matrixCase.way {
            case .otherPort: "http://me:secret@127.0.0.1:\(away.port)/end"
            case .otherHost: "http://me:secret@localhost:\(away.port)/end"
            case .back: "http://me:secret@127.0.0.1:\(away.port)/back"
            case .further: "http://me:secret@localhost:\(away.port)/further"
            case .upgrade: "https://me:secret@127.0.0.1:\(nginx?.securePort ?? 0)/end"
            }
        let home = try ScriptedServer { request in
            if let refusal, request.headers["authorization"] == nil { return refusal }
            return switch request.path {
            case "/login": .ok("in", ["Set-Cookie: session=secret; Path=/"])
            case "/in": .redirect(status, to: "\(target)?\(request.headers["host"] ?? "")")
            default: .ok("home again")
            }
        }
        return Servers(home: home, away: away, further: further, nginx: nginx)
    }

    @Test(arguments: cases)
    func `nothing that is secret arrives at a second origin`(matrixCase: Case) throws {
        let servers = try servers(for: matrixCase)
        let authority = try TestCertificates.shared().authorityFile
        let harness = try EngineHarness { $0.tls.caFile = authority }
        let home = "http://127.0.0.1:\(servers.home.port)"
        _ = try harness.run(.to(home + "/login"))
        let headers = Self.secrets.map { HeaderField(name: $0.key, value: $0.value) }
        let hasBody = ["POST", "PUT"].contains(matrixCase.method)
        let result = try harness.run(
            .to(
                home + "/in",
                method: matrixCase.method,
                headers: headers,
                body: hasBody ? .bytes(Array("secret".utf8)) : nil
            ) {
                $0.redirects.allowMethodChange = true
            }
        )

        let first = try #require(servers.home.requests(for: "/in").first)
        for (name, value) in Self.secrets { #expect(first.headers[name] == value) }
        #expect(first.headers["cookie"] == "session=secret")
        #expect(first.text == (hasBody ? "secret" : ""))

        let strangers = servers.away.requests + servers.further.requests
        for request in strangers {
            for name in Self.secrets.keys { #expect(request.headers[name] == nil, "\(name)") }
            #expect(request.headers["cookie"] == nil)
            #expect(request.body.isEmpty)
            for field in request.headers.fields { #expect(!field.value.contains("secret")) }
            #expect(!request.target.contains("secret"))
            #expect(request.method == matrixCase.methodAfter)
        }
        // A field that was dropped once does not return: only the jar still knows its origin.
        for request in servers.home.requests(for: "/end") {
            for name in Self.secrets.keys { #expect(request.headers[name] == nil, "\(name)") }
            #expect(request.headers["cookie"] == "session=secret")
        }

        let hops = matrixCase.way == .back || matrixCase.way == .further ? 2 : 1
        #expect(
            (result.failure == nil) == matrixCase.isFollowed,
            "\(String(describing: result.failure))"
        )
        #expect(result.redirectCount == (matrixCase.isFollowed ? hops : 0))
        #expect(strangers.isEmpty != matrixCase.isFollowed)
    }

    /// The session's credential at the first origin, and that origin's challenge.
    enum Method: String, CaseIterable {
        case basic
        case digest
        case bearer

        var challenge: String {
            switch self {
            case .basic: "Basic realm=r"
            case .digest: "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
            case .bearer: "Bearer"
            }
        }

        var proof: Credential.Proof {
            let login = Login(user: "me", password: Secret("secret"))
            return switch self {
            case .basic: .basic(login)
            case .digest: .digest(login)
            case .bearer: .bearer(Secret("secret"))
            }
        }
    }

    @Test(arguments: Method.allCases, Way.allCases)
    func `a session's credential stays at its origin and is used there again`(
        method: Method,
        way: Way
    ) throws {
        let matrixCase = Case(status: 302, method: "GET", way: way)
        let servers = try servers(for: matrixCase, challenge: method.challenge)
        let authority = try TestCertificates.shared().authorityFile
        let home = try TransferURL(servers.home.url("/in"))
        let harness = try EngineHarness {
            $0.tls.caFile = authority
            let space = ProtectionSpace(scope: .origin(home.origin))
            $0.credentials = [Credential(space: space, proof: method.proof)]
        }
        let result = try harness.run(.to(home.text))

        let asked: [Bool] = method == .bearer ? [true] : [false, true]
        // Digest takes a challenge for each visit.
        let again: [Bool] = method == .digest ? [false, true] : [true]
        let proofs = servers.home.requests.map { $0.headers["authorization"] }
        #expect(proofs.map { $0 != nil } == asked + (way == .back ? again : []))
        for proof in proofs.compactMap(\.self) {
            #expect(proof.lowercased().hasPrefix(method.rawValue + " "))
        }
        let strangers = servers.away.requests + servers.further.requests
        #expect(strangers.count == (way == .further ? 2 : 1))
        for request in strangers {
            #expect(request.headers["authorization"] == nil)
            for field in request.headers.fields { #expect(!field.value.contains("secret")) }
        }
        // The other origins ask, too, and get no answer.
        #expect(result.failure?.httpStatus == (way == .back ? nil : 401))
        let reasons = result.transactions.map(\.reason)
        let hops = way == .back || way == .further ? 2 : 1
        #expect(reasons.count { $0 == .redirect } == hops)
        #expect(
            reasons.count { $0 == .authentication }
                == (proofs.count { $0 == nil })
        )
    }
}
