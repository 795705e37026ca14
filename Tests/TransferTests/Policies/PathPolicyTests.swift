import NetworkPath
import SystemKit
import Testing
import TransferModel

@testable import CurlKit
@testable import Transfer

@Suite struct PathPolicyTests {
    private static let wired = InterfaceClass(kind: .wired, isCellular: false, isExpensive: false)
    private static let modem = InterfaceClass(kind: .cellular, isCellular: true, isExpensive: true)
    private static let unknown = InterfaceClass(kind: .tunnel, isCellular: nil, isExpensive: nil)
    private static let noCellular: NetworkAccess = [.expensive, .constrained, .unclassified]
    private static let free: NetworkAccess = [.flags, .unclassified]

    private static let refusedByCallback = CurlCode(rawValue: 42)
    private static let cannotConnect = CurlCode(rawValue: 7)

    /// The machine's network without a kernel: the test says which interface leads to all
    /// addresses.
    private final class FakeWays: NetworkWays {
        var current: NetworkSnapshot
        /// The interface of all addresses beyond the machine.
        var interface: Int32?
        /// The results of a fresh look.
        var hasLostAll = false

        init(_ interfaces: [NetworkInterface], leading interface: Int32?) {
            let routes = interfaces.map {
                Route(
                    destination: .unspecified(bitCount: 32),
                    prefix: 0,
                    interface: $0.index,
                    metric: UInt32($0.index)
                )
            }
            current = NetworkSnapshot(interfaces: interfaces, routes: routes)
            self.interface = interface
        }

        func decide(
            to peer: IPAddress,
            scope: Int32?,
            under access: NetworkAccess
        ) -> NetworkSnapshot.Decision {
            if isLocal(peer) { return .local }
            guard let found = (scope ?? interface).flatMap({ current.interface($0) }) else {
                return .refuse(nil)
            }
            return found.classification.denial(under: access).map { .refuse($0) } ?? .open(found)
        }

        func interface(of connection: ConnectionEnds, scope: Int32?) -> NetworkInterface? {
            (scope ?? interface).flatMap { current.interface($0) }
        }

        func isLocal(_ address: IPAddress) -> Bool { address.isLoopback }

        func isClosed(under access: NetworkAccess) -> Bool {
            current.status(for: access) != .satisfied
        }

        func isCutOff(under access: NetworkAccess) -> Bool { hasLostAll }
    }

    private static func interface(
        _ index: Int32,
        _ name: String,
        _ address: String,
        _ classification: InterfaceClass
    ) -> NetworkInterface {
        NetworkInterface(
            index: index,
            name: name,
            addresses: IPAddress(address).map { [$0] } ?? [],
            classification: classification
        )
    }

    private static let eth0 = interface(2, "eth0", "192.0.2.2", wired)
    private static let wwan0 = interface(3, "wwan0", "198.51.100.3", modem)

    private func policy(
        _ ways: FakeWays,
        to url: String = "http://host.test/",
        under access: NetworkAccess = Self.noCellular,
        waits: Bool = false
    ) throws -> PathPolicy {
        PathPolicy(
            to: try TransferURL(url).origin,
            under: access,
            waitsForConnectivity: waits,
            ways
        )
    }

    private func connection(from address: String, to remote: String) -> ConnectionFacts {
        ConnectionFacts(
            remoteAddress: remote,
            remotePort: 443,
            localAddress: address,
            localPort: 40_000
        )
    }

    @Test func `an exchange without a permitted interface ends before its name is looked up`()
        throws
    {
        let policy = try policy(FakeWays([Self.wwan0], leading: 3))
        #expect(policy.faultAtBeginning(asksForTicket: false) == .noWay(.cellular))
    }

    @Test(arguments: ["http://127.0.0.1/", "http://localhost/"])
    func `this machine is always permitted`(url: String) throws {
        let policy = try policy(FakeWays([Self.wwan0], leading: 3), to: url)
        #expect(policy.faultAtBeginning(asksForTicket: false) == nil)
    }

    @Test func `an address in the URL is checked by its own path`() throws {
        let ways = FakeWays([Self.eth0, Self.wwan0], leading: 3)
        let policy = try policy(ways, to: "http://203.0.113.9/")
        #expect(policy.faultAtBeginning(asksForTicket: false) == .noWay(.cellular))
        ways.interface = 2
        #expect(policy.faultAtBeginning(asksForTicket: false) == nil)
    }

    @Test func `no ticket is requested while a forbidden interface is usable`() throws {
        let policy = try policy(FakeWays([Self.eth0, Self.wwan0], leading: 2))
        #expect(
            policy.faultAtBeginning(asksForTicket: true)
                == .ticket(interface: "wwan0", .cellular)
        )
        #expect(policy.faultAtBeginning(asksForTicket: false) == nil)
    }

    @Test func `a socket is bound to its interface under a restriction only`() throws {
        let ways = FakeWays([Self.eth0], leading: 2)
        let address = IPAddress("203.0.113.9")
        var restricted = try policy(ways)
        #expect(restricted.way(to: address, scope: nil) == .open(.init(index: 2, name: "eth0")))
        var free = try policy(ways, under: Self.free, waits: true)
        #expect(free.way(to: address, scope: nil) == .open(nil))
        #expect(free.way(to: IPAddress("127.0.0.1"), scope: nil) == .local)
    }

    @Test func `a refused address is the fault of an exchange that tried no other`() throws {
        let ways = FakeWays([Self.eth0, Self.wwan0], leading: 3)
        var policy = try policy(ways)
        #expect(policy.way(to: IPAddress("203.0.113.9"), scope: nil) == .refused)
        let alone = policy.faultAtEnd(Self.cannotConnect, isUnreachable: false, tried: nil)
        #expect(alone == .noWay(.cellular))
        ways.interface = 2
        _ = policy.way(to: IPAddress("203.0.113.10"), scope: nil)
        let isBound = policy.didBind(.bound, to: IPAddress("203.0.113.10"), scope: nil)
        #expect(isBound)
        #expect(policy.faultAtEnd(Self.cannotConnect, isUnreachable: false, tried: nil) == nil)
        #expect(
            policy.faultAtEnd(Self.refusedByCallback, isUnreachable: false, tried: nil)
                == .noWay(.cellular)
        )
    }

    @Test func `a socket that cannot be bound is used where the route leads over its interface`()
        throws
    {
        let ways = FakeWays([Self.eth0, Self.wwan0], leading: 2)
        let address = IPAddress("203.0.113.9")
        var policy = try policy(ways)
        _ = policy.way(to: address, scope: nil)
        let isUsed = policy.didBind(.refused(errno: 1), to: address, scope: nil)
        #expect(isUsed)
        ways.interface = 3
        let isUsedThen = policy.didBind(.refused(errno: 1), to: address, scope: nil)
        #expect(!isUsedThen)
        let fault = policy.faultAtEnd(Self.cannotConnect, isUnreachable: false, tried: nil)
        #expect(fault == .noWay(nil))
    }

    @Test func `a connection is checked by the interface on which it was made`() throws {
        let ways = FakeWays([Self.eth0, Self.wwan0], leading: 2)
        var policy = try policy(ways)
        let facts = connection(from: "192.0.2.2", to: "203.0.113.9")
        guard case .over(let metrics) = policy.use(facts, 7, known: nil, socket: nil) else {
            Issue.record("the connection was not used")
            return
        }
        #expect(metrics.interface == "eth0")
        #expect(metrics.enforcement == .route)
        #expect(policy.way?.number == 7)
        // The routes have changed.
        ways.interface = 3
        #expect(policy.use(facts, 7, known: policy.way, socket: nil) == .refused)
        let local = connection(from: "127.0.0.1", to: "127.0.0.1")
        #expect(policy.use(local, 8, known: nil, socket: nil) == .free)
    }

    @Test func `an interface of unknown class is refused unless the job allows it`() throws {
        let tunnel = Self.interface(4, "tun0", "10.0.0.4", Self.unknown)
        let facts = connection(from: "10.0.0.4", to: "203.0.113.9")
        var strict = try policy(FakeWays([tunnel], leading: 4), under: [.expensive, .constrained])
        #expect(strict.use(facts, 1, known: nil, socket: nil) == .refused)
        var lax = try policy(FakeWays([tunnel], leading: 4))
        #expect(lax.use(facts, 1, known: nil, socket: nil) != .refused)
    }

    @Test func `a running exchange ends when its interface becomes forbidden`() throws {
        let ways = FakeWays([Self.eth0], leading: 2)
        var policy = try policy(ways)
        _ = policy.use(
            connection(from: "192.0.2.2", to: "203.0.113.9"),
            1,
            known: nil,
            socket: nil
        )
        #expect(policy.fault(in: ways.current, isMultipath: false) == nil)
        var expensive = Self.eth0
        expensive.classification = Self.modem
        ways.current = NetworkSnapshot(interfaces: [expensive], routes: ways.current.routes)
        #expect(policy.fault(in: ways.current, isMultipath: false) == .noWay(.cellular))
    }

    @Test(arguments: [true, false])
    func `an exchange that waits for connectivity ends with its interface`(waits: Bool) throws {
        let ways = FakeWays([Self.eth0], leading: 2)
        var policy = try policy(ways, under: Self.free, waits: waits)
        _ = policy.use(
            connection(from: "192.0.2.2", to: "203.0.113.9"),
            1,
            known: nil,
            socket: nil
        )
        let none = NetworkSnapshot(interfaces: [], routes: [])
        #expect(policy.fault(in: none, isMultipath: false) == (waits ? .lost(nil) : nil))
    }

    @Test func `one of several paths may disappear`() throws {
        let ways = FakeWays([Self.eth0, Self.wwan0], leading: 2)
        var policy = try policy(ways, under: Self.free, waits: true)
        _ = policy.use(
            connection(from: "192.0.2.2", to: "203.0.113.9"),
            1,
            known: nil,
            socket: nil
        )
        let rest = NetworkSnapshot(
            interfaces: [Self.wwan0],
            routes: ways.current.routes.filter { $0.interface == 3 }
        )
        #expect(policy.fault(in: rest, isMultipath: true) == nil)
        #expect(policy.fault(in: rest, isMultipath: false) == .lost(nil))
    }

    @Test(arguments: [true, false])
    func `a failed lookup is a network failure if a fresh look finds no network`(
        hasLostAll: Bool
    ) throws {
        let ways = FakeWays([Self.eth0], leading: 2)
        ways.hasLostAll = hasLostAll
        let policy = try policy(ways, under: Self.free, waits: true)
        let fault = policy.faultAtEnd(CurlCode(rawValue: 6), isUnreachable: false, tried: nil)
        #expect(fault == (hasLostAll ? .noWay(nil) : nil))
    }

    @Test(arguments: [
        (PathFault.noWay(nil), "no permitted interface leads to h"),
        (.noWay(.cellular), "the interface that leads to h is cellular"),
        (.lost(nil), "the interface that led to h has lost its route"),
        (.noWay(.unclassified), "the class of the interface that leads to h is unknown"),
    ])
    func `a failure names the fault and the host`(fault: PathFault, detail: String) {
        let failure = TransferFailure(
            fault,
            to: "h",
            phase: .connect,
            isKnownUnprocessed: true
        )
        #expect(failure.kind == .network)
        #expect(failure.detail == detail)
        #expect(failure.isKnownUnprocessed)
    }
}
