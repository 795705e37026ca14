internal import CurlKit
internal import NetworkPath
internal import SystemKit
internal import TransferModel

// Carries out the decisions of `PathPolicy`.
extension Attempt {
    /// The origin to connect to: the proxy, if there is one.
    var peer: Origin { proxy.route?.origin ?? hop.url.origin }

    /// Sends the hop's request; ends the attempt when no interface may be used for it.
    func send() -> Next {
        path = session.paths.map {
            PathPolicy(
                to: peer,
                under: session.access,
                waitsForConnectivity: session.configuration.waitsForConnectivity,
                $0
            )
        }
        if let fault = path?.faultAtBeginning(asksForTicket: asksForTicket) {
            failure = pathFailure(fault)
        }
        return hasFailed ? .finished(result()) : .exchange(easyRequest())
    }

    /// Whether libcurl may ask a Kerberos service for a ticket.
    private var asksForTicket: Bool {
        authentication?.easy == .negotiate || proxy.asksForTicket
    }

    /// The options of the socket to an address; nil when no permitted interface leads there.
    func socketOptions(for peer: SocketAddress) -> SocketOptions? {
        var options = session.socketOptions
        switch path?.way(to: peer.ip, scope: peer.scope) {
        case .refused: return nil
        case .open(let device): options.device = device
        case .local, nil: break
        }
        return options
    }

    /// Notes the result of binding a socket; false when the socket must not be used unbound.
    func noteBinding(_ binding: SocketBinding) -> Bool {
        let peer = handle.triedPeer
        return path?.didBind(binding, to: peer?.ip, scope: peer?.scope) ?? true
    }

    /// Whether a request may use a connection, by the connection's interface.
    func mayUse(_ facts: ConnectionFacts, _ number: Int, isNew: Bool) -> Bool {
        let known = isNew ? nil : session.ways[number]
        let socket = isNew ? handle.socket(of: facts) : known?.socket
        switch path?.use(facts, number, known: known, socket: socket) {
        case .free, nil: return true
        case .over(let metrics):
            if let way = path?.way { session.keep(way) }
            recorder.willUse(metrics)
            return true
        case .refused:
            // The pool offered a connection made before the network changed.
            if !isNew { _ = connection.refusedReuse.refuse() }
            return false
        }
    }

    /// The failure of an exchange without a path; nil when it failed for another reason.
    func pathFailure(_ code: CurlCode) -> TransferFailure? {
        guard !recorder.didSend else { return nil }
        guard let path else { return isCutOff(code) ? noNetwork(code) : nil }
        let tried = handle.triedPeer.map { (address: $0.ip, scope: $0.scope) }
        return path.faultAtEnd(code, isUnreachable: isUnreachable(code), tried: tried)
            .map(pathFailure)
    }

    /// Whether the kernel reported ENETDOWN, ENETUNREACH or EHOSTUNREACH.
    private func isUnreachable(_ code: CurlCode) -> Bool {
        osErrno(behind: code).map { [100, 101, 113].contains($0) } ?? false
    }

    /// Whether an exchange of a session without a policy failed because this machine has no network
    /// at all.
    ///
    /// Checked only after failures before a connection, so that it costs nothing while there is a
    /// network.
    private func isCutOff(_ code: CurlCode) -> Bool {
        guard !peer.isLoopback else { return false }
        switch code.rawValue {
        // No name was resolved, neither the proxy's nor the peer's, or the time to connect is over.
        case 5, 6, 28: break
        case 7 where isUnreachable(code): break
        default: return false
        }
        return PathFinder.isMachineCutOff
    }

    /// The failure of an exchange when this machine has no network.
    private func noNetwork(_ code: CurlCode) -> TransferFailure {
        var failure = pathFailure(nil)
        failure.symptom =
            switch code.rawValue {
            case 5, 6: .resolve
            case 28: .timeout
            default: .connect
            }
        return failure
    }

    /// The failure of an exchange whose interface is gone or no longer permitted; nil while it may
    /// continue.
    func lostPath(in network: NetworkSnapshot) -> TransferFailure? {
        guard let path, !isReading else { return nil }
        let isMultipath = path.way.map { session.multipathConnections.contains($0.number) } ?? false
        return path.fault(in: network, isMultipath: isMultipath).map(pathFailure)
    }

    /// Ends the connection at once if its interface is forbidden, so that the kernel drops unsent
    /// bytes.
    func resetForbiddenPath() {
        guard session.access.isRestricted else { return }
        guard let way = path?.way else { return handle.resetConnections() }
        session.reset(way)
    }

    /// Notes whether a connection may use several paths; a reused connection keeps that property.
    func noteMultipath(_ facts: ConnectionFacts, _ number: Int, isNew: Bool) {
        if isNew, handle.socket(of: facts)?.isMultipath == true {
            session.multipathConnections.insert(number)
        }
        recorder.noteMultipath(session.multipathConnections.contains(number))
    }

    private func pathFailure(_ fault: PathPolicy.Fault?) -> TransferFailure {
        var failure = TransferFailure(
            fault,
            to: peer.host,
            phase: recorder.phase,
            isKnownUnprocessed: !recorder.hasSentAnything
        )
        if case .ticket? = fault { return failure }
        failure.isOfWholeSession = path?.isClosed ?? false
        return failure
    }
}
