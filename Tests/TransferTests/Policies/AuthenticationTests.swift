import CurlKit
import Testing
import TransferModel

@testable import Transfer

@Suite struct AuthenticationTests {
    private static let login = Login(user: "me", password: Secret("open sesame"))

    private static func credential(
        _ proof: Credential.Proof,
        realm: String? = nil,
        host: String = "a.example"
    ) -> Credential {
        Credential(space: .init(scope: .host(host), realm: realm), proof: proof)
    }

    private static func challenges(_ values: String...) -> [Challenge] {
        let fields = HeaderFields(values.map { HeaderField(name: "WWW-Authenticate", value: $0) })
        return Challenge.all(in: fields, named: "www-authenticate")
    }

    private static let url = try? TransferURL("https://a.example/folder/file")

    /// The start of an attempt without known spaces, and its answers to challenges.
    private static func answers(
        _ credentials: [Credential],
        to challenges: [[Challenge]]
    ) throws -> [Authentication.Answer] {
        var machine = Authentication(credentials)
        let url = try #require(url)
        _ = machine.begin(
            url,
            hasBody: false,
            hasAuthorization: false,
            known: AcceptedCredentials()
        )
        return challenges.map {
            machine.answer($0, from: url, didSend: machine.carried != nil)
        }
    }

    private static let all: [Credential] = [
        credential(.basic(login)), credential(.ntlm(login)), credential(.digest(login)),
        credential(.negotiate),
    ]

    @Test(
        arguments: [
            (["Basic realm=x"], 0),
            (["Basic realm=x", "NTLM"], 1),
            (["NTLM, Basic realm=x", "Digest realm=x, nonce=n, qop=\"auth,auth-int\""], 2),
            (["Negotiate", "NTLM", "Basic realm=x", "Digest realm=x, nonce=n"], 3),
            (["Digest realm=x, nonce=n, algorithm=SHA-512-256", "Basic realm=x"], 0),
            (["Digest realm=x, nonce=n, algorithm=SHA-256"], 2),
            (["Digest realm=x, nonce=n, qop=auth-int, algorithm=MD5", "Basic realm=x"], 0),
            (["Digest realm=x", "Basic realm=x"], 0),
        ]
    )
    func `the strongest method of a challenge is chosen`(
        fields: [String],
        position: Int
    ) throws {
        let challenges = fields.flatMap { Self.challenges($0) }
        #expect(try Self.answers(Self.all, to: [challenges]) == [.credential(position)])
    }

    @Test func `a request that libcurl does not send proves itself alone, not its connection`()
        throws
    {
        var machine = Authentication(Self.all, sendsItself: true)
        let url = try #require(Self.url)
        func judge(_ value: String, didSend: Bool) -> Authentication.Answer {
            var known = AcceptedCredentials()
            let fields = HeaderFields([HeaderField(name: "WWW-Authenticate", value: value)])
            return machine.judge(
                ResponseHead(statusCode: 401, fields: fields),
                from: url,
                lacksBody: false,
                didSend: didSend,
                hasNewCookies: false,
                in: &known
            )
        }
        _ = machine.begin(
            url,
            hasBody: false,
            hasAuthorization: false,
            known: AcceptedCredentials()
        )
        #expect(judge("Negotiate, NTLM", didSend: false) == .none)
        #expect(judge("Negotiate, NTLM, Digest realm=x, nonce=n", didSend: false) == .credential(2))
        #expect(machine.digestChallenge?.text("nonce") == "n")
        let stale = "Digest realm=x, nonce=m, stale=true"
        #expect(judge(stale, didSend: true) == .credential(2))
        #expect(machine.digestChallenge?.text("nonce") == "m")
        #expect(judge(stale, didSend: true) == .stop)
        _ = machine.begin(
            url,
            hasBody: false,
            hasAuthorization: false,
            known: AcceptedCredentials()
        )
        #expect(machine.digestChallenge == nil)
    }

    @Test func `a challenge without a matching credential gets no answer`() throws {
        let foreign = Self.credential(.basic(Self.login), host: "b.example")
        let other = Self.credential(.basic(Self.login), realm: "theirs")
        let basic = Self.challenges("Basic realm=ours")
        #expect(try Self.answers([foreign, other], to: [basic]) == [.none])
        #expect(try Self.answers(Self.all, to: [[]]) == [.none])
        #expect(try Self.answers(Self.all, to: [Self.challenges("Mutual realm=x")]) == [.none])
    }

    @Test func `a realm is compared letter by letter`() throws {
        let ours = Self.credential(.digest(Self.login), realm: "Übung")
        let challenge = Self.challenges("Digest realm=\"Übung\", nonce=n")
        #expect(try Self.answers([ours], to: [challenge]) == [.credential(0)])
        let other = Self.challenges("Digest realm=\"übung\", nonce=n")
        #expect(try Self.answers([ours], to: [other]) == [.none])
    }

    @Test func `a refused credential is not retried, and the next one is tried`() throws {
        let basic = Self.challenges("Basic realm=x")
        let two = [
            Self.credential(.basic(Self.login)), Self.credential(.basic(Self.login), realm: "x"),
        ]
        #expect(
            try Self.answers(two, to: [basic, basic, basic])
                == [.credential(0), .credential(1), .none]
        )
    }

    @Test func `after three failures nothing is tried`() throws {
        let basic = Self.challenges("Basic realm=x")
        let many = ["x", "x", "x", "x", "x"].map {
            Self.credential(.basic(Self.login), realm: $0)
        }
        let answers = try Self.answers(many, to: Array(repeating: basic, count: 4))
        #expect(answers == [.credential(0), .credential(1), .credential(2), .none])
    }

    @Test func `a stale nonce is answered once more, and then it is a refusal`() throws {
        let first = Self.challenges("Digest realm=x, nonce=a")
        let stale = Self.challenges("Digest realm=x, nonce=b, stale=TRUE")
        let digest = [Self.credential(.digest(Self.login))]
        #expect(
            try Self.answers(digest, to: [first, stale, stale])
                == [.credential(0), .byLibrary, .stop]
        )
        #expect(
            try Self.answers(digest, to: [first, stale, first])
                == [.credential(0), .byLibrary, .none]
        )
        #expect(try Self.answers(digest, to: [first, first]) == [.credential(0), .none])
    }

    @Test(
        arguments: ["realm=y", "realm=x, algorithm=SHA-512-256", "realm=x, qop=\"auth-int\""]
    )
    func `a stale nonce of what the credential does not answer is a refusal`(
        parameters: String
    ) throws {
        let ours = [Self.credential(.digest(Self.login), realm: "x")]
        let first = Self.challenges("Digest realm=x, nonce=a")
        let stale = Self.challenges("Digest \(parameters), nonce=b, stale=true")
        #expect(try Self.answers(ours, to: [first, stale]) == [.credential(0), .none])
    }

    @Test func `the steps of a handshake are no refusals, but they have an end`() throws {
        let ntlm = [Self.credential(.ntlm(Self.login))]
        let offer = Self.challenges("NTLM")
        let token = Self.challenges("NTLM TlRMTVNTUAAC=")
        #expect(
            try Self.answers(ntlm, to: [offer, token, offer])
                == [.credential(0), .byLibrary, .none]
        )
        let endless = try Self.answers(ntlm, to: [offer] + Array(repeating: token, count: 5))
        #expect(endless.suffix(2) == [.byLibrary, .stop])
    }

    @Test(
        arguments: [
            (Credential.Proof.bearer(Secret("t")), false, Authentication.Start.carrying(0)),
            (.bearer(Secret("t")), true, .carrying(0)),
            (.basic(login), false, .carrying(0)),
            (.basic(login), true, .carrying(0)),
            (.digest(login), false, .plain),
            (.digest(login), true, .asking),
            (.negotiate, true, .asking),
            (.ntlm(login), true, .asking),
        ]
    )
    func `the method and the body decide if a credential goes at once`(
        proof: Credential.Proof,
        hasBody: Bool,
        expected: Authentication.Start
    ) throws {
        var machine = Authentication([Self.credential(proof)])
        let url = try #require(Self.url)
        let start = machine.begin(
            url,
            hasBody: hasBody,
            hasAuthorization: false,
            known: AcceptedCredentials()
        )
        #expect(start == expected)
        let own = machine.begin(
            url,
            hasBody: hasBody,
            hasAuthorization: true,
            known: AcceptedCredentials()
        )
        #expect(own == .plain)
        let basic = Self.challenges("Basic realm=x")
        let answer = machine.answer(basic, from: url, didSend: true)
        #expect(answer == .none)
        let elsewhere = machine.begin(
            try TransferURL("https://b.example/"),
            hasBody: hasBody,
            hasAuthorization: false,
            known: AcceptedCredentials()
        )
        #expect(elsewhere == .plain)
    }

    // Many servers answer 404 to a request without a login.
    @Test func `Basic goes at once over TLS alone, and where nothing else may be wanted`() throws {
        func start(_ credentials: [Credential], _ url: String = "https://a.example/x") throws
            -> Authentication.Start
        {
            var machine = Authentication(credentials)
            return machine.begin(
                try TransferURL(url),
                hasBody: false,
                hasAuthorization: false,
                known: AcceptedCredentials()
            )
        }
        let basic = Self.credential(.basic(Self.login))
        #expect(try start([basic]) == .carrying(0))
        let local = Self.credential(.basic(Self.login), host: "127.0.0.1")
        #expect(try start([local], "http://127.0.0.1/x") == .plain)
        #expect(try start([Self.credential(.basic(Self.login), realm: "r")]) == .plain)
        #expect(try start([basic, Self.credential(.digest(Self.login))]) == .plain)
        var patient = basic
        patient.challenge = .wait
        #expect(try start([patient]) == .plain)
        var digest = Self.credential(.digest(Self.login))
        digest.isFallback = true
        #expect(try start([digest, basic]) == .carrying(1))
    }

    @Test(arguments: [401, 403, 404])
    func `a refusal tells of a login that was not asked for`(status: Int) throws {
        let url = try #require(Self.url)
        let head = ResponseHead(statusCode: status)
        var failure = ResponseVerdict.statusFailure(head)
        let unsent = try Self.carrying([Self.credential(.digest(Self.login))])
        unsent.explain(&failure, head, from: url)
        #expect(failure.help?.contains("the session's login (digest) was not sent") == true)
        for credential in [
            Self.credential(.basic(Self.login)),
            Self.credential(.digest(Self.login), host: "b.test"),
        ] {
            var other = ResponseVerdict.statusFailure(head)
            try Self.carrying([credential]).explain(&other, head, from: url)
            #expect(other.help == nil)
        }
    }

    @Test(arguments: [Credential.Proof.digest(login), .ntlm(login), .negotiate])
    func `a body waits for a known server's challenge, too`(
        proof: Credential.Proof
    ) throws {
        let url = try #require(Self.url)
        var known = AcceptedCredentials()
        known.note(0, at: url, hasRealm: false)
        for (hasBody, expected) in [(false, Authentication.Start.carrying(0)), (true, .asking)] {
            var machine = Authentication([Self.credential(proof)])
            let start = machine.begin(
                url,
                hasBody: hasBody,
                hasAuthorization: false,
                known: known
            )
            #expect(start == expected)
        }
    }

    @Test func `a body waits while another method may be asked for, or another realm`() throws {
        let url = try #require(Self.url)
        let realm = [Self.credential(.basic(Self.login), realm: "x")]
        for credentials in [Self.all, realm] {
            var machine = Authentication(credentials)
            let start = machine.begin(
                url,
                hasBody: true,
                hasAuthorization: false,
                known: AcceptedCredentials()
            )
            #expect(start == .asking)
        }
    }

    @Test func `an accepted credential goes at once, unless it was refused since`() throws {
        let url = try #require(Self.url)
        var known = AcceptedCredentials()
        known.note(0, at: url, hasRealm: false)
        var machine = Authentication([Self.credential(.basic(Self.login))])
        let later = try TransferURL("https://a.example/other")
        let start = machine.begin(
            later,
            hasBody: false,
            hasAuthorization: false,
            known: known
        )
        #expect(start == .carrying(0))
        let basic = Self.challenges("Basic realm=x")
        let answer = machine.answer(basic, from: later, didSend: true)
        #expect(answer == .none)
        let again = machine.begin(
            later,
            hasBody: false,
            hasAuthorization: false,
            known: known
        )
        #expect(again == .plain)
    }

    @Test func `a stale nonce at each of two hops is no refusal`() throws {
        var machine = Authentication([Self.credential(.digest(Self.login))])
        let url = try #require(Self.url)
        for _ in 0..<2 {
            _ = machine.begin(
                url,
                hasBody: false,
                hasAuthorization: false,
                known: AcceptedCredentials()
            )
            let answers = ["nonce=a", "nonce=b, stale=true"].map {
                machine.answer(
                    Self.challenges("Digest realm=x, \($0)"),
                    from: url,
                    didSend: machine.carried != nil
                )
            }
            #expect(answers == [.credential(0), .byLibrary])
        }
    }

    @Test func `a credential that could not be sent was not refused`() throws {
        var machine = Authentication([Self.credential(.digest(Self.login))])
        let url = try #require(Self.url)
        var known = AcceptedCredentials()
        known.note(0, at: url, hasRealm: false)
        let start = machine.begin(url, hasBody: false, hasAuthorization: false, known: known)
        #expect(start == .carrying(0))
        let strange = Self.challenges("Digest realm=x, nonce=n, qop=auth-int")
        #expect(machine.answer(strange, from: url, didSend: false) == .none)
        #expect(machine.refused.isEmpty)
        // Nor is it tried for ever.
        let usual = Self.challenges("Digest realm=x, nonce=n")
        #expect(machine.answer(usual, from: url, didSend: false) == .none)
    }

    @Test(
        arguments: [
            ("https://a.example/folder/", true), ("https://a.example/folder/deep/file?q", true),
            ("https://a.example/folder", false), ("https://a.example/", false),
            ("https://a.example:8443/folder/file", false),
            ("http://a.example/folder/file", false),
            ("https://a.example/folder/..%2Fopen", false),
            ("https://a.example/folder/..%5copen", false),
            ("https://a.example/folder/..;/open", false),
            ("https://a.example/folder/a%20b;c", true),
        ]
    )
    // RFC 7617 §2.2
    func `a realm applies below the folder that asked for it`(url: String, isKnown: Bool) throws {
        var known = AcceptedCredentials()
        known.note(3, at: try #require(Self.url), hasRealm: true)
        #expect((known.credential(for: try TransferURL(url)) == 3) == isKnown)
    }

    // MARK: - Requests and failures

    private static func carrying(_ credentials: [Credential]) throws -> Authentication {
        var machine = Authentication(credentials)
        _ = machine.begin(
            try #require(url),
            hasBody: false,
            hasAuthorization: false,
            known: AcceptedCredentials()
        )
        return machine
    }

    @Test func `only a credential that signs adds a signature`() throws {
        let request = RequestSpec(method: "PUT", url: try #require(Self.url), headers: [])
        let bearer = try Self.carrying([Self.credential(.bearer(Secret("t")))])
        var readsClock = false
        let fields = try bearer.signature(for: request, .bytes([1])) {
            readsClock = true
            return Timestamp(microseconds: 0)
        }
        #expect(fields.isEmpty)
        #expect(!readsClock)
        #expect(bearer.easy != nil)
    }

    @Test func `libcurl waits for a challenge while nothing is carried`() throws {
        #expect(try Self.carrying([Self.credential(.digest(Self.login))]).easy == .awaited)
    }

    @Test func `a final 401 is explained by what became of the credentials`() throws {
        let challenge = HeaderField(name: "WWW-Authenticate", value: "Digest nonce=x")
        let head = ResponseHead(statusCode: 401, fields: HeaderFields([challenge]))
        let failure = ResponseVerdict.statusFailure(head)
        var machine = try Self.carrying([Self.credential(.bearer(Secret("t")))])
        var refused = failure
        _ = machine.answer(Challenge.all(of: head), from: try #require(Self.url), didSend: true)
        let url = try #require(Self.url)
        machine.explain(&refused, head, from: url)
        #expect(refused.isPermanent)
        #expect(refused.help?.contains("refused the session's credential (bearer)") == true)
        var unfit = failure
        try Self.carrying([Self.credential(.ntlm(Self.login))]).explain(&unfit, head, from: url)
        #expect(unfit.help?.hasPrefix("the server asks for digest") == true)
        var other = ResponseVerdict.statusFailure(ResponseHead(statusCode: 500))
        let before = other
        machine.explain(&other, head, from: url)
        #expect(other == before)
    }

    @Test func `the nearest known folder counts`() throws {
        var known = AcceptedCredentials()
        known.note(0, at: try TransferURL("https://a.example/"), hasRealm: false)
        known.note(1, at: try TransferURL("https://a.example/a/b"), hasRealm: true)
        #expect(known.credential(for: try TransferURL("https://a.example/a/c")) == 1)
        #expect(known.credential(for: try TransferURL("https://a.example/b/c")) == 0)
        known.note(2, at: try TransferURL("https://a.example/a/d"), hasRealm: true)
        #expect(known.credential(for: try TransferURL("https://a.example/a/c")) == 2)
    }
}
