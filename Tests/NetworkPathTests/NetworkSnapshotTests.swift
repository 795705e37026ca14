import SystemKit
import Testing
import TransferModel

@testable import NetworkPath

@Suite struct NetworkSnapshotTests {
    private static let wired = InterfaceClass(kind: .wired, isCellular: false, isExpensive: false)
    private static let modem = InterfaceClass(kind: .cellular, isCellular: true, isExpensive: true)
    private static let tunnel = InterfaceClass(kind: .tunnel, isCellular: nil, isExpensive: nil)
    private static let all: NetworkAccess = [.flags, .unclassified]

    private static func interface(
        _ index: Int32,
        _ name: String,
        _ address: String?,
        _ classification: InterfaceClass,
        isUp: Bool = true
    ) -> NetworkInterface {
        NetworkInterface(
            index: index,
            name: name,
            isUp: isUp,
            addresses: address.flatMap { IPAddress($0) }.map { [$0] } ?? [],
            classification: classification
        )
    }

    private static func route(
        _ network: String,
        _ prefix: Int,
        _ interface: Int32,
        metric: UInt32 = 0
    ) -> Route {
        Route(
            destination: IPAddress(network) ?? .unspecified(bitCount: 32),
            prefix: prefix,
            interface: interface,
            metric: metric
        )
    }

    /// The default route leads over the modem; the wired link reaches one network.
    private static let machine = NetworkSnapshot(
        interfaces: [
            interface(
                1,
                "lo",
                "127.0.0.1",
                InterfaceClass(kind: .loopback, isCellular: false, isExpensive: false)
            ),
            interface(2, "eth0", "192.0.2.2", wired),
            interface(3, "wwan0", "198.51.100.3", modem),
        ],
        routes: [
            route("0.0.0.0", 0, 3, metric: 700), route("192.0.2.0", 24, 2),
            route("203.0.113.0", 24, 2), route("198.51.100.0", 24, 3),
        ]
    )

    @Test(arguments: [
        ("eth0", 2), ("3", 3), ("wwan0", 3), ("eth9", 0), ("", 0), ("99999999999", 0),
    ])
    func `a zone is an interface's name or number`(zone: String, number: Int32) {
        #expect(Self.machine.interface(ofZone: zone) == number)
    }

    @Test func `the flags forbid what they name`() {
        let classes = [
            Self.wired, Self.modem, Self.tunnel,
            InterfaceClass(
                kind: .wifi,
                isCellular: false,
                isExpensive: true,
                isConstrained: true
            ),
        ]
        func denials(_ access: NetworkAccess) -> [NetworkUnavailableReason?] {
            classes.map { $0.denial(under: access) }
        }
        #expect(denials(Self.all) == [nil, nil, nil, nil])
        #expect(denials([.expensive, .constrained, .unclassified]) == [nil, .cellular, nil, nil])
        #expect(
            denials([.cellular, .constrained, .unclassified]) == [nil, .expensive, nil, .expensive]
        )
        #expect(denials([.cellular, .expensive, .unclassified]) == [nil, nil, nil, .constrained])
        #expect(denials([.expensive, .constrained]) == [nil, .cellular, .unclassified, nil])
        #expect(denials([]) == [nil, .cellular, .unclassified, .expensive])
    }

    @Test func `one permitted interface with an address and a route suffices`() {
        #expect(Self.machine.status(for: Self.all) == .satisfied)
        #expect(Self.machine.status(for: [.unclassified]) == .satisfied)
        #expect(Self.machine.permitted(for: Self.all) == ["eth0", "wwan0"])
        #expect(Self.machine.permitted(for: [.unclassified]) == ["eth0"])
    }

    @Test func `an interface that is down, has no address or no route is none`() {
        for change in 0..<3 {
            var machine = Self.machine
            switch change {
            case 0: machine.interfaces[1].isUp = false
            case 1: machine.interfaces[1].addresses = []
            default: machine.routes.removeAll { $0.interface == 2 }
            }
            #expect(machine.status(for: [.unclassified]) == .unsatisfied(.cellular))
            #expect(machine.permitted(for: [.unclassified]) == [])
        }
    }

    @Test func `an address of one version needs a route of that version`() {
        var machine = Self.machine
        machine.interfaces[1].addresses = [IPAddress("2001:db8::1")].compactMap(\.self)
        #expect(machine.permitted(for: Self.all) == ["wwan0"])
    }

    @Test func `without any interface nothing is forbidden`() {
        let machine = NetworkSnapshot(interfaces: [Self.machine.interfaces[0]], routes: [])
        #expect(machine.status(for: Self.all) == .unsatisfied(nil))
        #expect(machine.status(for: [.unclassified]) == .unsatisfied(nil))
    }

    @Test func `the interface of the default route is the one that is named`() {
        var machine = Self.machine
        machine.interfaces[1].classification.isConstrained = true
        #expect(machine.status(for: [.unclassified]) == .unsatisfied(.cellular))
    }

    private func decide(
        _ peer: String,
        _ preferred: Int32?,
        _ access: NetworkAccess,
        on machine: NetworkSnapshot = machine
    ) throws -> NetworkSnapshot.Decision {
        machine.decide(to: try #require(IPAddress(peer)), preferred: preferred, under: access)
    }

    @Test func `the kernel's path is used where it is permitted`() throws {
        let machine = Self.machine
        #expect(try decide("203.0.113.9", 2, []) == .open(machine.interfaces[1]))
        #expect(try decide("198.51.100.9", 3, Self.all) == .open(machine.interfaces[2]))
    }

    @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
    func `a connection within the machine is always permitted`(peer: String) throws {
        #expect(try decide(peer, nil, []) == .local)
    }

    @Test func `an own address is reached over the loopback`() throws {
        #expect(try decide("192.0.2.2", 1, []) == .local)
    }

    @Test func `another interface is taken only with a route of its own`() throws {
        // The kernel would go by the modem, and eth0 has a route to the first one alone.
        let machine = Self.machine
        #expect(try decide("203.0.113.9", 3, []) == .open(machine.interfaces[1]))
        #expect(try decide("8.8.8.8", 3, []) == .refuse(.cellular))
        #expect(try decide("2001:db8::9", 3, []) == .refuse(.cellular))
        #expect(try decide("8.8.8.8", nil, []) == .refuse(nil))
    }

    @Test func `of several routes the longest prefix is used, then the smallest metric`() throws {
        var machine = Self.machine
        machine.interfaces += [
            Self.interface(4, "eth1", "10.0.0.4", Self.wired),
            Self.interface(5, "eth2", "10.0.1.5", Self.wired),
        ]
        machine.routes += [
            Self.route("0.0.0.0", 0, 4, metric: 200), Self.route("0.0.0.0", 0, 5, metric: 100),
            Self.route("8.8.0.0", 16, 4, metric: 900),
        ]
        #expect(try decide("8.8.8.8", 3, [], on: machine) == .open(machine.interfaces[3]))
        #expect(try decide("9.9.9.9", 3, [], on: machine) == .open(machine.interfaces[4]))
        machine.interfaces[4].isUp = false
        #expect(try decide("9.9.9.9", 3, [], on: machine) == .open(machine.interfaces[3]))
    }

    @Test func `an interface with routes from a rule is usable, and not bound by them`()
        throws
    {
        var machine = Self.machine
        machine.routes = machine.routes.map { route in
            var route = route
            route.isMain = route.interface != 2
            return route
        }
        #expect(machine.permitted(for: [.unclassified]) == ["eth0"])
        #expect(machine.status(for: [.unclassified]) == .satisfied)
        #expect(try decide("203.0.113.9", 2, [], on: machine) == .open(machine.interfaces[1]))
        #expect(try decide("203.0.113.9", 3, [], on: machine) == .refuse(.cellular))
    }

    @Test func `a pending interface is not used`() throws {
        #expect(try decide("8.8.8.8", 9, []) == .refuse(nil))
    }

    @Test func `a pending interface delays only restricted tasks and ends no transfer`() {
        var machine = Self.machine
        machine.interfaces[1].classification.isPending = true
        #expect(machine.permitted(for: Self.all) == ["eth0", "wwan0"])
        let careful: NetworkAccess = [.expensive, .constrained, .unclassified]
        #expect(machine.status(for: careful) == .unsatisfied(.cellular))
        #expect(machine.interfaces[1].classification.denial(under: careful) == .unclassified)
        #expect(machine.denial(ofRunningOver: 2, under: careful) == nil)
        // Properties that are known without the daemons do end the transfer.
        machine.interfaces[2].classification.isPending = true
        #expect(machine.denial(ofRunningOver: 3, under: careful) == .cellular)
        machine.interfaces[1].classification.isExpensive = nil
        #expect(machine.denial(ofRunningOver: 2, under: []) == nil)
    }

    @Test func `an interface that was down is not used`() {
        var machine = Self.machine
        machine.interfaces[1].isUp = false
        let peer = IPAddress("192.0.2.9") ?? .unspecified(bitCount: 32)
        let decision = machine.decide(to: peer, preferred: 2, under: Self.all)
        #expect(decision != .open(machine.interfaces[1]))
    }
}
