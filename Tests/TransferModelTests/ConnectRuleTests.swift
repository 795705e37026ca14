import Testing
import TransferModel

@Suite struct ConnectRuleTests {
    @Test(arguments: [
        (ConnectRule(host: "a.example", targetHost: "b.example"), 8080, "b.example", 8080),
        (
            ConnectRule(host: "a.example", port: 8080, targetHost: "[::1]", targetPort: 1), 8080,
            "[::1]", 1
        ),
        (ConnectRule(host: "a.example", port: 80, targetHost: "b.example"), 8080, nil, nil),
        (ConnectRule(host: "b.example", targetHost: "b.example"), 8080, nil, nil),
    ])
    func `a rule is about its host and port, and keeps a port that it does not set`(
        rule: ConnectRule,
        port: Int,
        host: String?,
        target: Int?
    ) {
        let origin = Origin(scheme: .https, host: "a.example", port: port)
        #expect(rule.target(for: origin)?.host == host)
        #expect(rule.target(for: origin)?.port == target)
        #expect(rule.target(for: origin).map { $0.scheme == .https } != false)
    }

    @Test func `the notation of libcurl leaves out what a rule does not set`() {
        #expect(ConnectRule(host: "a", targetHost: "[::1]").line == "a::[::1]:")
        #expect(ConnectRule(host: "a", port: 1, targetHost: "b", targetPort: 2).line == "a:1:b:2")
    }
}
