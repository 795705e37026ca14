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

    private static let url = try? HTTPURL("https://a.example/folder/file")

    /// What an attempt without anything known begins with and then does about challenges.
    private static func answers(
        _ credentials: [Credential],
        to challenges: [[Challenge]]
    ) throws -> [Authentication.Answer] {
        var machine = Authentication(credentials)
        var refusals = RefusedLogins()
        let url = try #require(url)
        _ = machine.begin(
            url,
            hasBody: false,
            hasAuthorization: false,
            known: KnownSpaces(),
            refusals: RefusedLogins()
        )
        return challenges.map {
            machine.answer($0, from: url, didSend: machine.carried != nil, refusals: &refusals)
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
    func `the strongest method that a challenge lets in is chosen`(
        fields: [String],
        position: Int
    ) throws {
        let challenges = fields.flatMap { Self.challenges($0) }
        #expect(try Self.answers(Self.all, to: [challenges]) == [.credential(position)])
    }

    @Test func `nothing answers what it has no credential for`() throws {
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

    @Test func `what is refused is not tried again, and the next one is`() throws {
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
            (.basic(login), false, .plain),
            (.basic(login), true, .carrying(0)),
            (.digest(login), false, .plain),
            (.digest(login), true, .asking),
            (.negotiate, true, .asking),
            (.ntlm(login), true, .asking),
        ]
    )
    func `what goes at once depends on the method and on the body`(
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
            known: KnownSpaces(),
            refusals: RefusedLogins()
        )
        #expect(start == expected)
        let own = machine.begin(
            url,
            hasBody: hasBody,
            hasAuthorization: true,
            known: KnownSpaces(),
            refusals: RefusedLogins()
        )
        #expect(own == .plain)
        let basic = Self.challenges("Basic realm=x")
        var refusals = RefusedLogins()
        let answer = machine.answer(basic, from: url, didSend: true, refusals: &refusals)
        #expect(answer == .none)
        let elsewhere = machine.begin(
            try HTTPURL("https://b.example/"),
            hasBody: hasBody,
            hasAuthorization: false,
            known: KnownSpaces(),
            refusals: RefusedLogins()
        )
        #expect(elsewhere == .plain)
    }

    @Test(arguments: [Credential.Proof.digest(login), .ntlm(login), .negotiate])
    func `a body waits for the challenge of a server that is known, too`(
        proof: Credential.Proof
    ) throws {
        let url = try #require(Self.url)
        var known = KnownSpaces()
        known.note(0, at: url, hasRealm: false)
        for (hasBody, expected) in [(false, Authentication.Start.carrying(0)), (true, .asking)] {
            var machine = Authentication([Self.credential(proof)])
            let start = machine.begin(
                url,
                hasBody: hasBody,
                hasAuthorization: false,
                known: known,
                refusals: RefusedLogins()
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
                known: KnownSpaces(),
                refusals: RefusedLogins()
            )
            #expect(start == .asking)
        }
    }

    @Test func `what was let in goes at once, unless it was refused since`() throws {
        let url = try #require(Self.url)
        var known = KnownSpaces()
        known.note(0, at: url, hasRealm: false)
        var machine = Authentication([Self.credential(.basic(Self.login))])
        let later = try HTTPURL("https://a.example/other")
        let start = machine.begin(
            later,
            hasBody: false,
            hasAuthorization: false,
            known: known,
            refusals: RefusedLogins()
        )
        #expect(start == .carrying(0))
        var refusals = RefusedLogins()
        let basic = Self.challenges("Basic realm=x")
        let answer = machine.answer(basic, from: later, didSend: true, refusals: &refusals)
        #expect(answer == .none)
        let again = machine.begin(
            later,
            hasBody: false,
            hasAuthorization: false,
            known: known,
            refusals: RefusedLogins()
        )
        #expect(again == .plain)
    }

    /// What a further attempt does about each of the challenges, once one has learned of refusals.
    private static func laterAnswers(
        _ credential: Credential,
        refusals: RefusedLogins,
        to challenges: [Challenge]...
    ) throws -> [Authentication.Answer] {
        var refusals = refusals
        return try challenges.map { challenge in
            var machine = Authentication([credential])
            let url = try #require(url)
            let start = machine.begin(
                url,
                hasBody: true,
                hasAuthorization: false,
                known: KnownSpaces(),
                refusals: refusals
            )
            #expect(start == .asking)
            return machine.answer(challenge, from: url, didSend: false, refusals: &refusals)
        }
    }

    @Test(arguments: [Credential.Proof.basic(login), .digest(login), .ntlm(login)])
    func `a login that was refused is not given to its realm by a later attempt`(
        proof: Credential.Proof
    ) throws {
        let credential = Self.credential(proof)
        func challenge(_ realm: String) -> [Challenge] {
            Self.challenges("Basic realm=\(realm)", "Digest realm=\(realm), nonce=n", "NTLM")
        }
        var refusals = RefusedLogins()
        var machine = Authentication([credential])
        let url = try #require(Self.url)
        let start = machine.begin(
            url,
            hasBody: false,
            hasAuthorization: false,
            known: KnownSpaces(),
            refusals: refusals
        )
        #expect(start == .plain)
        let first = machine.answer(challenge("x"), from: url, didSend: false, refusals: &refusals)
        #expect(first == .credential(0))
        #expect(machine.hasAnswered)
        let second = machine.answer(challenge("x"), from: url, didSend: true, refusals: &refusals)
        #expect(second == .none)
        let isNTLM = if case .ntlm = proof { true } else { false }
        let later = try Self.laterAnswers(
            credential,
            refusals: refusals,
            to: challenge("x"),
            challenge("y")
        )
        // NTLM has no realms.
        #expect(later == [.none, isNTLM ? .none : .credential(0)])
    }

    @Test func `what is known is asked for again once it was refused at its server`() throws {
        let url = try #require(Self.url)
        var known = KnownSpaces()
        known.note(0, at: url, hasRealm: false)
        var refusals = RefusedLogins()
        refusals.note(0, at: url.origin.text, realm: Array("x".utf8))
        var machine = Authentication([Self.credential(.basic(Self.login))])
        let start = machine.begin(
            url,
            hasBody: false,
            hasAuthorization: false,
            known: known,
            refusals: refusals
        )
        #expect(start == .plain)
        #expect(!machine.hasAnswered)
    }

    @Test(
        arguments: [
            ("https://a.example/folder/", true), ("https://a.example/folder/deep/file?q", true),
            ("https://a.example/folder", false), ("https://a.example/", false),
            ("https://a.example:8443/folder/file", false),
            ("http://a.example/folder/file", false),
        ]
    )
    // RFC 7617 §2.2
    func `a realm is known below the folder that asked for it`(url: String, isKnown: Bool) throws {
        var known = KnownSpaces()
        known.note(3, at: try #require(Self.url), hasRealm: true)
        #expect((known.credential(for: try HTTPURL(url)) == 3) == isKnown)
    }

    @Test func `the nearest folder that is known counts`() throws {
        var known = KnownSpaces()
        known.note(0, at: try HTTPURL("https://a.example/"), hasRealm: false)
        known.note(1, at: try HTTPURL("https://a.example/a/b"), hasRealm: true)
        #expect(known.credential(for: try HTTPURL("https://a.example/a/c")) == 1)
        #expect(known.credential(for: try HTTPURL("https://a.example/b/c")) == 0)
        known.note(2, at: try HTTPURL("https://a.example/a/d"), hasRealm: true)
        #expect(known.credential(for: try HTTPURL("https://a.example/a/c")) == 2)
    }
}
