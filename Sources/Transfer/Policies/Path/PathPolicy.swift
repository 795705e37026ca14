internal import CurlKit
internal import NetworkPath
internal import SystemKit
internal import TransferModel

/// Decides which interface the connections of one exchange may use, and notes which interface they
/// use.
///
/// A value for one exchange of a session with a network policy; sessions without one have none. It
/// does no I/O itself: `NetworkWays` answers for the kernel.
struct PathPolicy {
    /// Why an exchange has no way.
    enum Fault: Equatable {
        /// No permitted interface leads to the peer; nil when none leads there at all.
        case noWay(NetworkUnavailableReason?)
        /// The interface that led to the peer does so no more, or is forbidden by now.
        case lost(NetworkUnavailableReason?)
        /// Packets for a Kerberos ticket could leave by a forbidden interface.
        case ticket(interface: String, NetworkUnavailableReason)
    }

    /// What the socket to an address is told.
    enum Way: Equatable {
        /// The address is this machine's.
        case local
        /// The socket is bound to the device, or to none where the routes decide.
        case open(SocketOptions.Device?)
        /// No socket is opened.
        case refused
    }

    /// Whether a request may go over a connection.
    enum Use: Equatable {
        /// It does not leave the machine, or no policy forbids it.
        case free
        /// It goes over an interface that the report names.
        case over(TransactionMetrics.Path)
        case refused
    }

    let access: NetworkAccess
    private let ways: any NetworkWays
    private let waitsForConnectivity: Bool
    /// The proxy, or the origin where there is none.
    private let peer: Origin
    /// Why an address was refused; nil while none was, and inside when no interface leads there.
    private var refusal: NetworkUnavailableReason??
    /// The interface that the socket which is being opened is to use.
    private var device: NetworkInterface?
    /// The interfaces of all sockets that were opened, which race each other.
    private var devices: Set<Int32> = []
    /// Whether any socket was left to connect.
    private var isTried = false
    /// The way of the connection that the request went over; nil before, and for one that does not
    /// leave the machine.
    private(set) var way: ConnectionWay?

    /// The policy for an exchange with `peer`, which is the proxy where there is one.
    init(
        to peer: Origin,
        under access: NetworkAccess,
        waitsForConnectivity: Bool,
        _ ways: any NetworkWays
    ) {
        self.peer = peer
        self.access = access
        self.waitsForConnectivity = waitsForConnectivity
        self.ways = ways
    }

    /// Whether nothing that the session may use leads anywhere.
    var isClosed: Bool { ways.isClosed(under: access) }

    /// Why the exchange cannot begin, before a name is looked up; nil when it can.
    ///
    /// - Parameter asksForTicket: Whether libcurl may ask a Kerberos service, over sockets of its
    ///   library that nothing binds.
    /// - Returns: The fault.
    func faultAtBeginning(asksForTicket: Bool) -> Fault? {
        if asksForTicket, let forbidden = ways.current.forbiddenWay(under: access) {
            return .ticket(interface: forbidden.interface, forbidden.reason)
        }
        guard !peer.isLoopback else { return nil }
        if let address = peer.address {
            guard case .refuse(let reason) = decide(to: address) else { return nil }
            return .noWay(reason)
        }
        guard case .unsatisfied(let reason) = ways.current.status(for: access) else { return nil }
        return .noWay(reason)
    }

    /// Decides what the socket to an address is told.
    ///
    /// - Parameters:
    ///   - address: nil for an address of another family.
    ///   - scope: The interface that the address is at, if it says so.
    /// - Returns: The way.
    mutating func way(to address: IPAddress?, scope: Int32?) -> Way {
        guard let address else { return .refused }
        var way = Way.open(nil)
        switch decide(to: address, scope: scope) {
        case .local:
            device = nil
            way = .local
        case .open(let interface):
            device = interface
            devices.insert(interface.index)
            // Without a policy the routes decide, also when they change.
            if access.isRestricted {
                way = .open(.init(index: interface.index, name: interface.name))
            }
        case .refuse(let reason):
            refusal = .some(reason)
            return .refused
        }
        if way == .local || way == .open(nil) { isTried = true }
        return way
    }

    /// Notes what became of binding the socket to an address; false when it must not be used
    /// unbound.
    mutating func didBind(_ binding: SocketBinding, to address: IPAddress?, scope: Int32?) -> Bool {
        isTried = true
        guard binding != .bound, let device, let address else { return true }
        // An old kernel does not let everybody bind: the route will do where it leads over the same
        // interface.
        if case .open(let interface) = decide(
            to: address,
            scope: scope,
            under: [.flags, .unclassified]
        ),
            interface.index == device.index
        {
            return true
        }
        isTried = false
        refusal = .some(nil)
        return false
    }

    /// Decides whether a request may go over a connection, by the interface that it was made over.
    ///
    /// - Parameters:
    ///   - connection: Its ends.
    ///   - number: Its number.
    ///   - known: Its way, as an earlier exchange has found it; nil for a new connection.
    ///   - socket: Its socket, nil when it is not known.
    /// - Returns: The use; `way` has the way then.
    mutating func use(
        _ connection: ConnectionFacts,
        _ number: Int,
        known: ConnectionWay?,
        socket: ConnectionSocket?
    ) -> Use {
        if let remote = IPAddress(connection.remoteAddress), ways.isLocal(remote) { return .free }
        var way = known
        // The routes of the moment decide on an unbound one, and they must lead where they led.
        if way?.isBound != true {
            let bound = socket.map(\.boundInterface).flatMap { $0 == 0 ? nil : $0 }
            way = (bound ?? interface(ofUnbound: connection, socket)?.index).map {
                ConnectionWay(number, connection, $0, isBound: bound != nil, socket)
            }
            if let known, let way, known.interface != way.interface, access.isRestricted {
                return refuse(nil)
            }
        }
        guard let way, let interface = ways.current.interface(way.interface) else {
            return refuse(nil)
        }
        if interface.isLoopback { return .free }
        let found = interface.classification
        if let reason = found.denial(under: access) { return refuse(reason) }
        self.way = way
        let enforcement: TransactionMetrics.Path.Enforcement = way.isBound ? .device : .route
        return .over(
            TransactionMetrics.Path(
                interface: interface.name,
                isCellular: found.isCellular,
                isExpensive: found.isExpensive,
                isConstrained: found.isConstrained,
                enforcement: access.isRestricted ? enforcement : nil
            )
        )
    }

    /// Why an exchange that has sent nothing had no way; nil when it has failed for another reason.
    ///
    /// - Parameters:
    ///   - code: What libcurl says.
    ///   - isUnreachable: Whether the kernel says that the network or the host is unreachable.
    ///   - tried: The address that was tried last, with its scope.
    /// - Returns: The fault.
    func faultAtEnd(
        _ code: CurlCode,
        isUnreachable: Bool,
        tried: (address: IPAddress?, scope: Int32?)?
    ) -> Fault? {
        // CURLE_ABORTED_BY_CALLBACK: no address was permitted, or a request was kept from a
        // connection.
        if let refusal, code.rawValue == 42 || !isTried { return .noWay(refusal) }
        // CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT.
        guard waitsForConnectivity, [6, 7].contains(code.rawValue) else { return nil }
        // A host that is switched off is unreachable, too, and there is a way to it.
        if isUnreachable, let tried, let address = tried.address,
            case .refuse = decide(to: address, scope: tried.scope)
        {
            return .noWay(nil)
        }
        return !peer.isLoopback && ways.isCutOff(under: access) ? .noWay(nil) : nil
    }

    /// Why the running exchange must end: its interface is gone, or may not be used any more; nil
    /// while it may go on.
    ///
    /// - Parameters:
    ///   - network: The network as it is now.
    ///   - isMultipath: Whether the connection has several paths, of which one may go.
    /// - Returns: The fault.
    func fault(in network: NetworkSnapshot, isMultipath: Bool) -> Fault? {
        let indices = way.map { Set([$0.interface]) } ?? devices
        for index in indices {
            if let reason = network.denial(ofRunningOver: index, under: access) {
                return .noWay(reason)
            }
        }
        if let way, !way.isBound, access.isRestricted {
            let interface = interface(ofUnbound: way.connection, way.socket)
            if interface?.index != way.interface {
                return .lost(interface?.classification.denial(under: access))
            }
        }
        guard waitsForConnectivity, !indices.isEmpty else { return nil }
        if isMultipath { return network.status(for: access) == .satisfied ? nil : .lost(nil) }
        let mayGoOn = indices.contains { network.interface($0)?.isUp == true }
        return mayGoOn && way.map({ Self.hasAddress($0, in: network) }) ?? true ? nil : .lost(nil)
    }

    /// The interface that the URL's zone says an address of one link is at; nil for any other
    /// address.
    private func zone(of address: IPAddress) -> Int32? {
        guard address.isLinkLocal, let zone = peer.zone else { return nil }
        return ways.current.interface(ofZone: zone)
    }

    /// Which way leads to an address.
    ///
    /// libcurl adds the URL's zone when it connects; before its version 8 an address has none until
    /// then.
    private func decide(
        to address: IPAddress,
        scope: Int32? = nil,
        under access: NetworkAccess? = nil
    ) -> NetworkSnapshot.Decision {
        ways.decide(
            to: address,
            scope: scope ?? zone(of: address),
            under: access ?? self.access
        )
    }

    /// The interface that the packets of a connection leave by whose socket is bound to none; nil
    /// when there is none.
    private func interface(
        ofUnbound connection: ConnectionFacts,
        _ socket: ConnectionSocket?
    ) -> NetworkInterface? {
        guard let own = IPAddress(connection.localAddress),
            let remote = IPAddress(connection.remoteAddress)
        else { return nil }
        let ends = ConnectionEnds(
            own: own.unmapped,
            ownPort: UInt16(clamping: connection.localPort),
            peer: remote.unmapped,
            peerPort: UInt16(clamping: connection.remotePort),
            isDatagram: socket?.isDatagram == true
        )
        return ways.interface(of: ends, scope: zone(of: remote))
    }

    private mutating func refuse(_ reason: NetworkUnavailableReason?) -> Use {
        // An own address that no interface has is one that has just gone: only a policy makes that
        // a fault.
        if reason == nil, !access.isRestricted { return .free }
        refusal = .some(reason)
        return .refused
    }

    /// Whether the machine still has a connection's own address on an interface that is up.
    ///
    /// Answers come to that address, wherever packets leave by now. An address of a single link is
    /// not looked up.
    private static func hasAddress(_ way: ConnectionWay, in network: NetworkSnapshot) -> Bool {
        guard let own = IPAddress(way.connection.localAddress), !own.isLinkLocal else {
            return true
        }
        return network.interface(of: own)?.isUp == true
    }
}
