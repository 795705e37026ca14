import Diagnostics
import TestSupport
import Testing
import TransferModel

@testable import Plan

@Suite struct CredentialTests {
    private static func sessions(
        _ credentials: String,
        environment: [String: String] = [:]
    ) throws -> [SessionConfiguration] {
        try plan(credentials, environment: environment).sessions
    }

    private static func plan(
        _ credentials: String,
        environment: [String: String] = [:]
    ) throws -> Plan {
        try TestJob.plan(
            """
            version: 1
            secrets: { token: { env: TOKEN, origins: ["https://a.example"] }, password: { env: P } }
            sessions:
              api: { credentials: [\(credentials)] }
            data:
              it: { url: "https://a.example/" }
            """,
            environment: environment
        )
    }

    private static let origin = Origin(scheme: .https, host: "a.example", port: 443)
    private static let login = Login(user: "me", password: Secret("redacted"))

    @Test(
        arguments: [
            (
                "method: basic, host: A.example, user: me, password: '${secret.password}'",
                Credential(
                    space: .init(scope: .host("a.example")),
                    proof: .basic(login)
                )
            ),
            (
                "method: digest, origin: 'https://a.example', realm: R, user: me, password: '${secret.password}'",
                Credential(
                    space: .init(scope: .origin(origin), realm: "R"),
                    proof: .digest(login)
                )
            ),
            (
                #"method: ntlm, host: "[::1]", user: me, password: '${secret.password}'"#,
                Credential(space: .init(scope: .host("[::1]")), proof: .ntlm(login))
            ),
            (
                "method: negotiate, origin: 'http://intra.example:8080/'",
                Credential(
                    space: .init(
                        scope: .origin(
                            Origin(scheme: .http, host: "intra.example", port: 8080)
                        )
                    ),
                    proof: .negotiate
                )
            ),
            (
                "method: bearer, origin: 'https://a.example', token: '${secret.token}'",
                Credential(
                    space: .init(scope: .origin(origin)),
                    proof: .bearer(Secret("redacted"))
                )
            ),
            (
                "method: netrc",
                Credential(space: .init(scope: .none), proof: .netrc(path: "/home/me/.netrc"))
            ),
            (
                "method: netrc, file: keys/netrc",
                Credential(space: .init(scope: .none), proof: .netrc(path: "/jobs/keys/netrc"))
            ),
            (
                "method: awsSigV4, host: a.example, accessKey: A, secretKey: '${secret.password}', region: eu-1, service: s3",
                Credential(
                    space: .init(scope: .host("a.example")),
                    proof: .awsSigV4(
                        AWSCredential(
                            accessKey: "A",
                            secretKey: Secret("redacted"),
                            sessionToken: nil,
                            region: "eu-1",
                            service: "s3"
                        )
                    )
                )
            ),
        ]
    )
    func `each method has its keys`(settings: String, expected: Credential) throws {
        let sessions = try Self.sessions("{ \(settings) }", environment: ["HOME": "/home/me"])
        #expect(sessions.map(\.credentials) == [[expected]])
    }

    @Test func `a session's list replaces that of the defaults`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            defaults: { credentials: [{ method: negotiate, host: a.example }] }
            sessions:
              a: {}
              b: { credentials: [{ method: negotiate, host: b.example }] }
            data: {}
            """
        )
        #expect(
            plan.sessions.map { $0.credentials.map(\.space.scope) } == [
                [.host("a.example")], [.host("b.example")],
            ]
        )
    }

    @Test func `a task needs the secrets of its session's credentials, wherever it goes`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            secrets: { a: { env: A }, b: { env: B }, c: { env: C } }
            defaults:
              credentials: [{ method: bearer, host: a.example, token: "${secret.a}" }]
            sessions:
              one: {}
              two: { credentials: [{ method: bearer, host: b.example, token: "${secret.b}" }] }
            data:
              it: { url: "https://elsewhere.example", session: two }
            """
        )
        #expect(plan.neededSecrets.map(\.name) == ["b"])
    }

    @Test func `captured values are filled in when they are known`() throws {
        let plan = try Self.plan(
            "{ method: bearer, origin: 'https://a.example', token: '${secret.token}' }"
        )
        let filled = try plan.with(["token": Secret("s3same")])
        #expect(filled.sessions[0].credentials.map(\.proof) == [.bearer(Secret("s3same"))])
    }

    @Test func `a value that cannot be sent is reported without the value`() throws {
        let plan = try Self.plan(
            "{ method: bearer, origin: 'https://a.example', token: '${secret.token}' }"
        )
        let error = #expect(throws: PlanRejected.self) {
            _ = try plan.with(["token": Secret("s3same\nx")])
        }
        #expect(error?.diagnostics.map(\.code) == ["job.missing-secret"])
        #expect(error?.diagnostics.contains { $0.message.contains("s3same") } == false)
    }

    @Test func `the listing has the expressions and no value`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            variables: { pass: hunter2 }
            secrets: { token: { env: TOKEN } }
            sessions:
              api:
                credentials:
                  - { method: basic, host: a.example, user: me, password: "${var.pass}" }
                  - { method: basic, host: b.example, user: me, password: hunter3 }
                  - { method: bearer, host: c.example, token: "x${secret.token}" }
            data: {}
            """
        )
        var text = ""
        PlanListing(plan).writeText { text += $0 }
        #expect(!text.contains("hunter"))
        for line in [
            "  credentials[0].password         ${var.pass}  (line 7)",
            "  credentials[1].password         •••  (line 8)",
            "  credentials[2].token            •••${secret.token}  (line 9)",
        ] {
            #expect(text.contains(line), "\(text)")
        }
    }

    @Test(
        arguments: [
            ("https://a.example", true), ("https://a.example:8443", true),
            ("http://a.example", false), ("https://b.example", false),
            ("https://sub.a.example", false),
        ]
    )
    func `a host is all of its ports over https`(url: String, isInside: Bool) throws {
        let space = ProtectionSpace(scope: .host("a.example"))
        #expect(space.contains(try TransferURL(url).origin) == isInside)
    }

    @Test func `on this machine a host is reached over http, too`() throws {
        let space = ProtectionSpace(scope: .host("localhost"))
        #expect(space.contains(try TransferURL("http://localhost:8080").origin))
    }
}
