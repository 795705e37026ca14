import Testing

@testable import Transfer

@Suite struct RefusedLoginsTests {
    private static let orders = Array("Orders".utf8)
    private static let server = "https://a.example"

    @Test func `a refusal holds for its login, its server and its realm`() {
        var refused = RefusedLogins()
        #expect(!refused.contains(0, at: Self.server))
        refused.note(0, at: Self.server, realm: Self.orders)
        #expect(refused.contains(0, at: Self.server))
        #expect(refused.contains(0, at: Self.server, realm: Self.orders))
        #expect(!refused.contains(0, at: Self.server, realm: nil))
        #expect(!refused.contains(0, at: Self.server, realm: []))
        #expect(!refused.contains(1, at: Self.server, realm: Self.orders))
        #expect(!refused.contains(0, at: "https://a.example:8443", realm: Self.orders))
        refused.note(0, at: Self.server, realm: nil)
        #expect(refused.contains(0, at: Self.server, realm: nil))
    }

    @Test func `what was let in is right, so that a later refusal says nothing of it`() {
        var refused = RefusedLogins()
        refused.noteLetIn(0, at: Self.server)
        refused.note(0, at: Self.server, realm: Self.orders)
        refused.note(0, at: "https://b.example", realm: Self.orders)
        #expect(!refused.contains(0, at: Self.server))
        #expect(refused.contains(0, at: "https://b.example"))
    }

    @Test func `a server that invents realms fills no memory`() {
        var refused = RefusedLogins()
        for realm in 0..<1000 { refused.note(0, at: Self.server, realm: Array("\(realm)".utf8)) }
        #expect(refused.contains(0, at: Self.server, realm: Array("63".utf8)))
        #expect(!refused.contains(0, at: Self.server, realm: Array("64".utf8)))
    }
}
