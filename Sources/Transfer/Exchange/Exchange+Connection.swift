internal import CurlKit
internal import NetworkPath
internal import SystemKit
internal import TransferModel

// Asks `PathPolicy` and `ConnectionPolicy` about sockets and connections.
extension Exchange {
    /// The origin to connect to: the proxy, if there is one.
    var peer: Origin { proxy.route?.origin ?? hop.url.origin }

    /// Whether libcurl may ask a Kerberos service for a ticket.
    var asksForTicket: Bool { authentication?.easy == .negotiate || proxy.asksForTicket }

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

    /// Notes whether a connection may use several paths; a reused connection keeps that property.
    func noteMultipath(_ facts: ConnectionFacts, _ number: Int, isNew: Bool) {
        if isNew, handle.socket(of: facts)?.isMultipath == true {
            session.multipathConnections.insert(number)
        }
        recorder.noteMultipath(session.multipathConnections.contains(number))
    }

    /// Whether a reused connection is as its last response left it; otherwise extra bytes would
    /// pass for the next response.
    ///
    /// Frames of HTTP/2 and HTTP/3 name their stream and may come at any time (PING, GOAWAY):
    /// libcurl reads them. A TLS session ticket looks like other encrypted bytes, so that it costs
    /// the connection.
    func mayReuse(_ facts: ConnectionFacts) throws(TransferFailure) -> Bool {
        if handle.hasStreams { return true }
        let isEncrypted = hop.url.origin.scheme == .https || proxy.route?.isEncrypted == true
        // Both are checked, because `isClean` also forgets a spoiled connection.
        let isClean = session.connections.isClean(facts)
        if isClean, !isEncrypted || !handle.hasUnreadTLS { return true }
        guard connection.refusedReuse.refuse() else { throw recorder.stage.uncleanConnections }
        return false
    }

    /// Whether a request may use a new connection whose server chose no version of HTTP.
    func mayUseUnchosenVersion() -> Bool {
        connection.mayUseUnchosenVersion(
            connectionDemand,
            isKnown: session.originsWithoutALPN.contains(hop.url.origin)
        )
    }

    /// The failure of an exchange without a permitted path.
    func failure(of fault: PathPolicy.Fault?) -> TransferFailure {
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

    /// Records a connection that failed before its request.
    func noteFailedConnection() {
        guard recorder.hasUnusedConnection else { return }
        // The name may stand for another address by now.
        if !peer.isAddress { session.unreachedHosts.insert(peer.host) }
        let remote = handle.remoteEndpoint.map {
            TransactionMetrics.Endpoint(address: $0.address, port: $0.port)
        }
        recorder.didFailToConnect(handle.connectTimes, remote: remote, at: .now)
    }
}
