import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import NetworkPath

@Suite struct NetworkSurveyTests {
    private static let wired = NetworkInterface(
        index: 2,
        name: "eth0",
        addresses: [IPAddress("192.0.2.2")].compactMap(\.self)
    )
    private static let modem = NetworkInterface(
        index: 3,
        name: "wwan0",
        addresses: [IPAddress("198.51.100.3")].compactMap(\.self)
    )
    private static let rules = [InterfaceRule(match: .init(name: "wwan*"), kind: .cellular)]

    /// A survey without daemons.
    private static func survey(_ rules: [InterfaceRule]) -> NetworkSurvey {
        NetworkSurvey(job: rules, host: [], bus: SystemBus(socket: "/nowhere"))
    }

    private static func answers(_ interfaces: [NetworkInterface]) -> DaemonAnswers {
        let said = InterfaceEvidence("NetworkManager", isExpensive: false)
        let report = DaemonReport(devices: ["eth0": said, "wwan0": said])
        return DaemonAnswers(report, of: interfaces)
    }

    private static func route(_ interface: Int32, gateway: IPAddress? = nil) -> Route {
        Route(
            destination: .unspecified(bitCount: 32),
            prefix: 0,
            interface: interface,
            gateway: gateway
        )
    }

    @Test func `a tunnel has its present path's class in spite of old answers`() throws {
        let tunnel = NetworkInterface(index: 4, name: "t0", linkKind: "ipip", hardwareType: 768)
        let interfaces = [Self.wired, Self.modem, tunnel]
        let survey = Self.survey(Self.rules)
        func tunnelClass(over interface: Int32) throws -> InterfaceClass {
            let found = survey.snapshot(
                of: interfaces,
                [Self.route(interface)],
                by: Self.answers(interfaces)
            )
            return try #require(found.interface(4)).classification
        }
        #expect(try tunnelClass(over: 2).isCellular == false)
        #expect(try tunnelClass(over: 3).isCellular == true)
    }

    @Test func `an interface is matched by its present gateway`() throws {
        let gateway = try #require(IPAddress("192.0.2.1"))
        let survey = Self.survey([InterfaceRule(match: .init(gateway: gateway), kind: .cellular)])
        let answers = Self.answers([Self.wired])
        let routes = [[], [Self.route(2, gateway: gateway)]]
        let found = routes.map { survey.snapshot(of: [Self.wired], $0, by: answers) }
        #expect(found.map { $0.interfaces[0].classification.isCellular } == [false, true])
        #expect(found.allSatisfy { !$0.interfaces[0].classification.isPending })
    }

    @Test func `answers about an interface that has come up since are dropped`() {
        var then = Self.wired
        then.isUp = false
        let answers = Self.answers([then, Self.modem])
        let found = Self.survey([]).snapshot(of: [Self.wired, Self.modem], [], by: answers)
            .interfaces.map(\.classification)
        #expect(found.map(\.isPending) == [true, false])
        #expect(found.map { $0.evidence.contains("NetworkManager") } == [false, true])
    }

    @Test func `a changed interface stays pending while a daemon is late`() throws {
        let folder = try TemporaryFolder()
        let script = "#!/bin/sh\nexec sleep 1000\n"
        let program = try folder.write(script, to: "busctl", mode: 0o755)
        let bus = SystemBus(program: program, socket: folder.path, patience: 1)
        let survey = NetworkSurvey(job: [], host: [], bus: bus)
        var then = Self.wired
        then.isUp = false
        let now = [Self.wired, Self.modem]
        var heard = Self.answers([then, Self.modem])
        // However often they are asked.
        for _ in 0..<2 {
            heard = survey.answers(of: now, after: heard)
            #expect(heard.isLate)
            let found = survey.snapshot(of: now, [], by: heard).interfaces.map(\.classification)
            #expect(found.map(\.isPending) == [true, false])
            #expect(found.map { $0.evidence.contains("NetworkManager") } == [false, true])
        }
    }

    @Test func `a transfer over a newly dialled modem ends at once`() {
        let tunnel = NetworkInterface(index: 4, name: "t0", linkKind: "ipip", hardwareType: 768)
        let interfaces = [Self.wired, Self.modem, tunnel]
        let rules = [InterfaceRule(match: .init(name: "wwan*"), kind: .cellular)]
        let careful: NetworkAccess = [.expensive, .constrained, .unclassified]
        func denial(_ rules: [InterfaceRule]) -> NetworkUnavailableReason? {
            let answers = Self.answers([Self.wired])
            return Self.survey(rules).snapshot(of: interfaces, [Self.route(3)], by: answers)
                .denial(ofRunningOver: 4, under: careful)
        }
        #expect(denial([]) == nil)
        // A rule for a network may still change the modem's class: it is pending.
        let network = InterfaceRule(match: .init(ssid: "Train"), isConstrained: true)
        #expect(denial(rules) == .cellular)
        #expect(denial(rules + [network]) == .cellular)
    }

    @Test(
        arguments: [
            ([rule(.wired, isExpensive: false)], false), ([rule(.cellular)], false),
            ([rule(.wired)], true), ([], true),
            ([rule(.wired, isExpensive: false), rule(.wifi, in: .init(ssid: "Train"))], true),
            (
                [rule(.wired, isExpensive: false), rule(.wifi, in: .init(connection: "Train"))],
                true
            ),
        ] as [([InterfaceRule], Bool)]
    )
    func `the runner waits for daemons whose answers may matter`(
        rules: [InterfaceRule],
        waits: Bool
    ) {
        let found = Self.survey(rules).snapshot(of: [Self.wired], [], by: Self.answers([]))
        #expect(found.interfaces[0].classification.isPending == waits)
    }

    private static func rule(
        _ kind: InterfaceKind,
        isExpensive: Bool? = nil,
        in match: InterfaceRule.Match = .init(name: "eth*")
    ) -> InterfaceRule {
        InterfaceRule(match: match, kind: kind, isExpensive: isExpensive)
    }

    @Test func `without daemons a new interface causes no wait`() {
        let found = Self.survey([]).snapshot(of: [Self.wired], [], by: DaemonAnswers())
        #expect(!found.interfaces[0].classification.isPending)
    }
}
