internal import CurlKit
internal import NetworkPath
internal import SystemKit
internal import TransferModel

// Which interface an exchange goes over, in sessions that do not take any.
extension Attempt {
    /// Who is connected to: the proxy, where there is one.
    var peer: Origin { route?.origin ?? hop.url.origin }

    /// The hop's request; the end, when no interface may be used for it.
    func send() -> Next {
        if session.paths != nil { choosePath() }
        return hasFailed ? .finished(result()) : .exchange(easyRequest())
    }

    /// Fails before a name is looked up when no permitted interface leads anywhere.
    private func choosePath() {
        path = ExchangePath()
        guard let paths = session.paths else { return }
        if asksForTicket, let way = paths.current.forbiddenWay(under: session.access) {
            failure = noTicketPath(way.interface, way.reason)
            return
        }
        guard !peer.isLoopback else { return }
        if let address = peer.address {
            let decision = paths.decide(
                to: address,
                scope: scope(of: address),
                under: session.access
            )
            guard case .refuse(let reason) = decision else { return }
            failure = noPath(reason)
        } else if case .unsatisfied(let reason) = paths.current.status(for: session.access) {
            failure = noPath(reason)
        }
    }

    /// Whether libcurl may ask a Kerberos service for a ticket, over sockets of its library that nobody binds.
    private var asksForTicket: Bool {
        easyAuthentication() == .negotiate
            || route?.method == .negotiate && !dialogue.asksFirst
    }

    /// What the socket to an address is told; nil when no permitted interface leads there.
    func socketOptions(for peer: SocketAddress) -> SocketOptions? {
        var options = session.socketOptions
        guard session.paths != nil else { return options }
        guard let decision = decide(to: peer, under: session.access) else { return nil }
        switch decision {
        case .local:
            path?.device = nil
        case .open(let interface):
            path?.device = interface
            path?.devices.insert(interface.index)
            // Without a policy the routes decide, also when they change.
            if session.access.isRestricted {
                options.device = .init(index: interface.index, name: interface.name)
            }
        case .refuse(let reason):
            path?.refusal = .some(reason)
            return nil
        }
        if options.device == nil { path?.isTried = true }
        return options
    }

    /// Which way leads to an address that a socket is opened for; nil without one.
    private func decide(
        to peer: SocketAddress,
        under access: NetworkAccess
    ) -> NetworkSnapshot.Decision? {
        guard let address = peer.ip else { return nil }
        // libcurl adds the URL's zone when it connects; before its version 8 it is not there yet.
        return session.paths?.decide(
            to: address,
            scope: peer.scope ?? scope(of: address),
            under: access
        )
    }

    /// The interface that the URL's zone says an address of one link is at; nil for any other.
    private func scope(of address: IPAddress) -> Int32? {
        guard address.isLinkLocal, let zone = peer.zone else { return nil }
        return session.paths?.current.interface(ofZone: zone)
    }

    /// Notes what became of binding a socket; false when it must not be used unbound.
    func noteBinding(_ binding: SocketBinding) -> Bool {
        path?.isTried = true
        guard binding != .bound, let device = path?.device, let peer = handle.triedPeer else {
            return true
        }
        // An old kernel does not let everybody bind: the route will do where it leads over the same interface.
        if case .open(let interface)? = decide(to: peer, under: [.flags, .unclassified]),
            interface.index == device.index
        {
            return true
        }
        path?.isTried = false
        path?.refusal = .some(nil)
        return false
    }

    /// Whether a request may go over a connection, by the interface that it was made over.
    func mayUse(_ connection: ConnectionFacts, _ number: Int, isNew: Bool) -> Bool {
        guard let paths = session.paths else { return true }
        let remote = IPAddress(connection.remoteAddress)
        if let remote, paths.isLocal(remote) { return true }
        var way = isNew ? nil : session.ways[number]
        // Of an unbound one the routes of the moment decide, and they must lead where they led.
        if way?.isBound != true {
            let socket = isNew ? handle.socket(of: connection) : way?.socket
            let bound = socket.map(\.boundInterface).flatMap { $0 == 0 ? nil : $0 }
            let last = way?.interface
            way = (bound ?? interface(ofUnbound: connection, socket)?.index).map {
                ConnectionWay(number, connection, $0, isBound: bound != nil, socket)
            }
            if let last, let way, last != way.interface, session.access.isRestricted {
                return refuse(isNew: isNew, reason: nil)
            }
        }
        guard let way, let interface = paths.current.interface(way.interface) else {
            return refuse(isNew: isNew, reason: nil)
        }
        if interface.isLoopback { return true }
        let found = interface.classification
        if let reason = found.denial(under: session.access) {
            return refuse(isNew: isNew, reason: reason)
        }
        session.keep(way)
        path?.way = way
        let enforcement: TransactionMetrics.Path.Enforcement = way.isBound ? .device : .route
        recorder.willUse(
            TransactionMetrics.Path(
                interface: interface.name,
                isCellular: found.isCellular,
                isExpensive: found.isExpensive,
                isConstrained: found.isConstrained,
                enforcement: session.access.isRestricted ? enforcement : nil
            )
        )
        return true
    }

    /// The interface that the packets of a connection leave by whose socket is bound to none; nil when there is none.
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
        return session.paths?.interface(of: ends, scope: scope(of: remote))
    }

    private func refuse(isNew: Bool, reason: NetworkUnavailableReason?) -> Bool {
        // An own address that nobody has is one that has just gone: only a policy makes that a fault.
        if reason == nil, !session.access.isRestricted { return true }
        path?.refusal = .some(reason)
        // The pool offered a connection made before the network changed.
        if !isNew { _ = connection.refusedReuse.refuse() }
        return false
    }

    /// The failure of an exchange that had no way; nil when it has failed for another reason.
    func pathFailure(_ code: CurlCode) -> TransferFailure? {
        guard !recorder.didSend else { return nil }
        guard let path, let paths = session.paths else {
            return isCutOff(code) ? noNetwork(code) : nil
        }
        // No address was permitted, or a request was kept from a connection.
        if let refusal = path.refusal, code.rawValue == 42 || !path.isTried {
            return noPath(refusal)
        }
        guard session.configuration.waitsForConnectivity, [6, 7].contains(code.rawValue) else {
            return nil
        }
        // ENETDOWN, ENETUNREACH, EHOSTUNREACH: also of a host that is switched off, to which there is a way.
        let isUnreachable = osErrno(behind: code).map { [100, 101, 113].contains($0) } ?? false
        if isUnreachable, let peer = handle.triedPeer,
            case .refuse? = decide(to: peer, under: session.access)
        {
            return noPath(nil)
        }
        return !peer.isLoopback && paths.isCutOff(under: session.access) ? noPath(nil) : nil
    }

    /// Whether an exchange of a session without a policy failed because this machine has no network at all.
    ///
    /// Only failures ask that which come before a connection, so that it costs nothing while there is a network.
    private func isCutOff(_ code: CurlCode) -> Bool {
        guard !peer.isLoopback else { return false }
        switch code.rawValue {
        // No name was resolved, the proxy's or the peer's, or the time to connect is over.
        case 5, 6, 28: break
        // ENETDOWN, ENETUNREACH, EHOSTUNREACH.
        case 7 where osErrno(behind: code).map { [100, 101, 113].contains($0) } ?? false: break
        default: return false
        }
        return PathFinder.isMachineCutOff
    }

    /// The failure of an exchange that this machine has no network for, as far as anybody knows.
    private func noNetwork(_ code: CurlCode) -> TransferFailure {
        var failure = noPath(nil)
        failure.symptom =
            switch code.rawValue {
            case 5, 6: .resolve
            case 28: .timeout
            default: .connect
            }
        return failure
    }

    /// The failure of an exchange whose interface is gone, or may not be used any more; nil while it may.
    func lostPath(in network: NetworkSnapshot) -> TransferFailure? {
        guard session.paths != nil, let path, !isReading else { return nil }
        let indices = path.way.map { Set([$0.interface]) } ?? path.devices
        let denials = indices.lazy.compactMap {
            network.denial(ofRunningOver: $0, under: self.session.access)
        }
        if let reason = denials.first { return noPath(reason) }
        if let way = path.way, !way.isBound, session.access.isRestricted {
            let interface = interface(ofUnbound: way.connection, way.socket)
            if interface?.index != way.interface {
                let reason = interface?.classification.denial(under: session.access)
                return noPath(reason, isLost: true)
            }
        }
        guard session.configuration.waitsForConnectivity, !indices.isEmpty else { return nil }
        // One of several paths is not the connection.
        if let way = path.way, session.multipathConnections.contains(way.number) {
            return network.status(for: session.access) == .satisfied
                ? nil : noPath(nil, isLost: true)
        }
        let mayGoOn = indices.contains { network.interface($0)?.isUp == true }
        return mayGoOn && path.way.map({ hasAddress($0, in: network) }) ?? true
            ? nil : noPath(nil, isLost: true)
    }

    /// Whether the machine still has a connection's own address on an interface that is up.
    ///
    /// Answers come to that one, wherever packets leave by now. One of a single link is not looked up.
    private func hasAddress(_ way: ConnectionWay, in network: NetworkSnapshot) -> Bool {
        guard let own = IPAddress(way.connection.localAddress), !own.isLinkLocal else {
            return true
        }
        return network.interface(of: own)?.isUp == true
    }

    /// Ends the connection at once if it goes over an interface that may not be used: what the kernel has still to send is not
    /// sent there.
    func resetForbiddenPath() {
        guard session.access.isRestricted else { return }
        guard let way = path?.way else { return handle.resetConnections() }
        session.reset(way)
    }

    /// Notes whether a connection may use several paths, which stays so while it is reused.
    func noteMultipath(_ connection: ConnectionFacts, _ number: Int, isNew: Bool) {
        if isNew, handle.socket(of: connection)?.isMultipath == true {
            session.multipathConnections.insert(number)
        }
        recorder.noteMultipath(session.multipathConnections.contains(number))
    }

    /// The failure of an exchange that needs a ticket while packets for one could leave by a forbidden interface.
    private func noTicketPath(
        _ interface: String,
        _ reason: NetworkUnavailableReason
    ) -> TransferFailure {
        var failure = noPath(reason)
        failure.detail =
            "`negotiate` may ask the Kerberos service over \(interface), which the session may not use: "
            + (reason == .unclassified ? "nobody knows its class" : "it is \(reason.rawValue)")
        failure.help =
            "switch the interface off, or give the session a credential other than `negotiate`"
        failure.isOfWholeSession = false
        // What came before is a question who asks, which processes nothing.
        failure.isKnownUnprocessed = true
        return failure
    }

    private func noPath(
        _ reason: NetworkUnavailableReason?,
        isLost: Bool = false
    ) -> TransferFailure {
        let phase = recorder.phase
        let what =
            switch reason {
            case nil where session.paths == nil:
                "this machine has no network: no interface is up with an address and a route"
            case nil where isLost: "the interface that led to \(peer.host) leads there no more"
            case nil: "no interface that may be used leads to \(peer.host)"
            case .unclassified: "nobody knows the class of the interface that leads to \(peer.host)"
            case let reason?: "the interface that leads to \(peer.host) is \(reason.rawValue)"
            }
        var failure = TransferFailure(kind: .network, phase: phase, detail: what)
        failure.urlError =
            reason == .cellular
            ? TransferFailure.URLErrorCode(code: -1020, name: "dataNotAllowed")
            : TransferFailure.URLErrorCode(code: -1009, name: "notConnectedToInternet")
        failure.unavailableReason = reason
        failure.isOfWholeSession = session.paths?.isClosed(under: session.access) ?? false
        failure.isKnownUnprocessed = !recorder.hasSentAnything
        failure.help = "see `runner interfaces` for what may be used"
        return failure
    }
}
