import Diagnostics
import JobFile
import Plan
import Testing
import TransferModel

@Suite struct NetworkTableTests {
    @Test func `rules are read in their order, with hardware addresses in one spelling`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            network:
              interfaces:
                - { match: { name: "wwan*" }, kind: cellular }
                - { match: { macAddress: 02-00-5E-10-00-0A, driver: cdc_ether }, expensive: true, constrained: true }
            data: { a: { url: "https://example.com/" } }
            """
        )
        let match = InterfaceRule.Match(macAddress: "02:00:5e:10:00:0a", driver: "cdc_ether")
        #expect(
            plan.interfaceRules == [
                InterfaceRule(match: .init(name: "wwan*"), kind: .cellular),
                InterfaceRule(match: match, isExpensive: true, isConstrained: true),
            ]
        )
        #expect(!plan.dependsOnNetwork)
    }

    @Test(arguments: [
        ("{}", false), ("{ allowsCellularAccess: true, unclassifiedInterfaces: deny }", false),
        ("{ allowsCellularAccess: false }", true),
        ("{ allowsExpensiveNetworkAccess: false }", true),
        ("{ allowsConstrainedNetworkAccess: false }", true),
        ("{ waitsForConnectivity: true }", true),
        ("{ networkServiceType: voice, multipathServiceType: interactive }", false),
    ])
    func `interfaces matter only to a policy`(session: String, matters: Bool) throws {
        let plan = try TestJob.download("", sessions: "{ s: \(session) }")
        #expect(plan.dependsOnNetwork == matters)
    }

    @Test func `a task forbids more than its session`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            sessions: { s: { allowsCellularAccess: false } }
            data:
              a: { url: "https://example.com/" }
              b: { url: "https://example.com/", allowsExpensiveNetworkAccess: false, allowsCellularAccess: false }
              c: { url: "https://example.com/", allowsConstrainedNetworkAccess: true }
            """
        )
        let access = try (0..<3).map { try plan.task(at: $0).access }
        let all: NetworkAccess = [.expensive, .constrained, .unclassified]
        #expect(access == [all, [.constrained, .unclassified], all])
    }

    @Test func `a flag of a task alone makes interfaces matter`() throws {
        let plan = try TestJob.download("allowsCellularAccess: false")
        #expect(plan.dependsOnNetwork)
        let rows = try TestJob.plan(
            """
            version: 1
            data:
              a: { url: "https://example.com/${item}", forEach: { items: [1, 2] }, allowsCellularAccess: false }
            """
        )
        #expect(rows.dependsOnNetwork)
    }

    @Test func `defaults apply to sessions, which may override them`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            defaults: { allowsCellularAccess: false, networkServiceType: background }
            sessions: { a: {}, b: { allowsCellularAccess: true, networkServiceType: default } }
            """
        )
        #expect(plan.sessions.map(\.access.isRestricted) == [true, false])
        #expect(plan.sessions.map(\.networkServiceType) == [.background, .default])
    }

    @Test func `a file of the machine has the rules at its top`() throws {
        func read(_ text: String) throws -> HostNetwork {
            let parsed = Document.parse(Array(text.utf8), name: "network.yaml")
            return HostNetwork(try #require(parsed.document))
        }
        let rules = try read("interfaces: [{ match: { name: eth0 }, kind: wired }]")
        #expect(rules.rules == [InterfaceRule(match: .init(name: "eth0"), kind: .wired)])
        #expect(rules.diagnostics.isEmpty)
        let wrong = try read("interfaces: [{ match: { name: eth0 }, kind: wired }]\nnope: 1")
        #expect(wrong.rules.isEmpty)
        #expect(wrong.diagnostics.map(\.code) == ["job.unknown-key"])
    }
}
