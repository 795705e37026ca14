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
    /// The instruction for the socket to an address.
    enum Way: Equatable {
        /// The address belongs to this machine.
        case local
        /// The socket is bound to the device, or unbound where the routes decide.
        case open(SocketOptions.Device?)
        /// No socket is opened.
        case refused
    }

    /// Whether a request may use a connection.
    enum Use: Equatable {
        /// The connection stays on this machine, or no policy restricts it.
        case free
        /// The connection uses an interface that the report names.
        case over(TransactionMetrics.Path)
        case refused
    }

    let access: NetworkAccess
    private let ways: any NetworkWays
    private let waitsForConnectivity: Bool
    /// The proxy, or the origin without one.
    private let peer: Origin
    /// Why an address was refused; nil when none was, and an inner nil when no interface leads
    /// there.
    private var refusal: NetworkUnavailableReason??
    /// The interface for the socket that is being opened.
    private var device: NetworkInterface?
    /// The interfaces of all opened sockets, which race each other.
    private var devices: Set<Int32> = []
    /// Whether any socket was allowed to connect.
    private var isTried = false
    /// The interface of the request's connection; nil before, and for a connection that stays on
    /// this machine.
    private(set) var way: ConnectionInterface?

    /// Creates the policy for an exchange with `peer`, which is the proxy if there is one.
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

    /// Whether no permitted interface leads anywhere.
    var isClosed: Bool { ways.isClosed(under: access) }

    /// Why the exchange cannot begin, decided before a name is looked up; nil when it can.
    ///
    /// - Parameter asksForTicket: Whether libcurl may ask a Kerberos service, over sockets of a
    ///   library that nothing binds.
    /// - Returns: The fault.
    func faultAtBeginning(asksForTicket: Bool) -> PathFault? {
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

    /// Decides the instruction for the socket to an address.
    ///
    /// - Parameters:
    ///   - address: nil for an address of another family.
    ///   - scope: The interface in the address, if it names one.
    /// - Returns: The instruction.
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
            // Without restrictions the routes decide, even when they change.
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

    /// Notes the result of binding the socket to an address; false when the socket must not be used
    /// unbound.
    mutating func didBind(_ binding: SocketBinding, to address: IPAddress?, scope: Int32?) -> Bool {
        isTried = true
        guard binding != .bound, let device, let address else { return true }
        // Old kernels do not let every user bind sockets: the socket may stay unbound when its
        // route uses the same interface.
        if case .open(let interface) = decide(to: address, scope: scope, under: .all),
            interface.index == device.index
        {
            return true
        }
        isTried = false
        refusal = .some(nil)
        return false
    }

    /// Decides whether a request may use a connection, by the connection's interface.
    ///
    /// - Parameters:
    ///   - connection: The ends of the connection.
    ///   - number: The connection's number.
    ///   - known: The interface that an earlier exchange found; nil for a new connection.
    ///   - socket: The connection's socket; nil if unknown.
    /// - Returns: The decision; `way` then has the interface.
    mutating func use(
        _ connection: ConnectionFacts,
        _ number: Int,
        known: ConnectionInterface?,
        socket: ConnectionSocket?
    ) -> Use {
        if let remote = IPAddress(connection.remoteAddress), ways.isLocal(remote) { return .free }
        var way = known
        // For an unbound connection the current routes decide, and they must not have changed the
        // interface.
        if way?.isBound != true {
            let bound = socket.map(\.boundInterface).flatMap { $0 == 0 ? nil : $0 }
            way = (bound ?? interface(ofUnbound: connection, socket)?.index).map {
                ConnectionInterface(number, connection, $0, isBound: bound != nil, socket)
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

    /// Why an exchange that sent nothing had no path; nil when it failed for another reason.
    ///
    /// - Parameters:
    ///   - code: libcurl's result.
    ///   - isUnreachable: Whether the kernel reported an unreachable network or host.
    ///   - tried: The last tried address with its scope.
    /// - Returns: The fault.
    func faultAtEnd(
        _ code: CurlCode,
        isUnreachable: Bool,
        tried: (address: IPAddress?, scope: Int32?)?
    ) -> PathFault? {
        // CURLE_ABORTED_BY_CALLBACK: no address was permitted, or the request was denied a
        // connection.
        if let refusal, code.rawValue == 42 || !isTried { return .noWay(refusal) }
        // CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT.
        guard waitsForConnectivity, [6, 7].contains(code.rawValue) else { return nil }
        // A host that is switched off is unreachable too, although there is a path to it.
        if isUnreachable, let tried, let address = tried.address,
            case .refuse = decide(to: address, scope: tried.scope)
        {
            return .noWay(nil)
        }
        return !peer.isLoopback && ways.isCutOff(under: access) ? .noWay(nil) : nil
    }

    /// Why the running exchange must end: its interface is gone or no longer permitted; nil while
    /// it may continue.
    ///
    /// - Parameters:
    ///   - network: The present network.
    ///   - isMultipath: Whether the connection has several paths, of which one may disappear.
    /// - Returns: The fault.
    func fault(in network: NetworkSnapshot, isMultipath: Bool) -> PathFault? {
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

    /// The interface in the URL's zone for a link-local address; nil for any other address.
    private func zone(of address: IPAddress) -> Int32? {
        guard address.isLinkLocal, let zone = peer.zone else { return nil }
        return ways.current.interface(ofZone: zone)
    }

    /// Decides the path to an address.
    ///
    /// libcurl adds the URL's zone when it connects; before version 8 the address has no zone until
    /// then.
    private func decide(
        to address: IPAddress,
        scope: Int32? = nil,
        under access: NetworkAccess? = nil
    ) -> NetworkSnapshot.Decision {
        ways.decide(to: address, scope: scope ?? zone(of: address), under: access ?? self.access)
    }

    /// The interface by which packets of an unbound connection leave; nil for none.
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
        // An own address without an interface belongs to one that has just disappeared: only a
        // restriction makes that a fault.
        if reason == nil, !access.isRestricted { return .free }
        refusal = .some(reason)
        return .refused
    }

    /// Whether a connection's own address is still on an interface that is up.
    ///
    /// Responses come to that address, whatever interface packets leave by. A link-local address is
    /// not looked up.
    private static func hasAddress(_ way: ConnectionInterface, in network: NetworkSnapshot) -> Bool
    {
        guard let own = IPAddress(way.connection.localAddress), !own.isLinkLocal else {
            return true
        }
        return network.interface(of: own)?.isUp == true
    }
}

/// Why an exchange has no path.
enum PathFault: Equatable {
    /// No permitted interface leads to the peer; nil when none leads there at all.
    case noWay(NetworkUnavailableReason?)
    /// The interface no longer leads to the peer, or is now forbidden.
    case lost(NetworkUnavailableReason?)
    /// Packets for a Kerberos ticket could leave by a forbidden interface.
    case ticket(interface: String, NetworkUnavailableReason)
}

extension TransferFailure {
    /// The failure of an exchange that has no path.
    ///
    /// - Parameters:
    ///   - fault: Why there is none; nil for a session without a policy on a machine without a
    ///     network.
    ///   - host: The host to connect to.
    ///   - phase: The phase of the exchange.
    ///   - isKnownUnprocessed: Whether nothing was sent.
    ///   - isOfWholeSession: Whether the session has no path at all.
    init(
        _ fault: PathFault?,
        to host: String,
        phase: Phase,
        isKnownUnprocessed: Bool,
        isOfWholeSession: Bool = false
    ) {
        let reason: NetworkUnavailableReason?
        let detail: String
        switch fault {
        case nil:
            reason = nil
            detail = "this machine has no network: no interface is up with an address and a route"
        case .noWay(nil):
            reason = nil
            detail = "no permitted interface leads to \(host)"
        case .lost(nil):
            reason = nil
            detail = "the interface that led to \(host) has lost its route"
        case .noWay(let denial?), .lost(let denial?):
            reason = denial
            detail =
                denial == .unclassified
                ? "the class of the interface that leads to \(host) is unknown"
                : "the interface that leads to \(host) is \(denial.rawValue)"
        case .ticket(let interface, let denial):
            reason = denial
            detail =
                "`negotiate` may contact the Kerberos service over \(interface), which the "
                + "session may not use: "
                + (denial == .unclassified ? "its class is unknown" : "it is \(denial.rawValue)")
        }
        self.init(kind: .network, phase: phase, detail: detail)
        urlError =
            reason == .cellular
            ? .dataNotAllowed
            : .notConnectedToInternet
        unavailableReason = reason
        self.isKnownUnprocessed = isKnownUnprocessed
        help = "run `runner interfaces` to see which interfaces are permitted"
        if case .ticket? = fault {
            help =
                "switch the interface off, or give the session a credential other than `negotiate`"
            // The previous exchange was a challenge, for which the server processed nothing.
            self.isKnownUnprocessed = true
        } else {
            self.isOfWholeSession = isOfWholeSession
        }
    }
}
