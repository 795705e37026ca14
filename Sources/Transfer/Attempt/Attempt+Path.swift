internal import CurlKit
internal import NetworkPath
internal import TransferModel

// Carries out the decisions of `PathPolicy`.
extension Attempt {
    /// Sends the hop's request; ends the attempt when no interface may be used for it.
    func send() -> Next {
        let session = exchange.session
        exchange.path = session.paths.map {
            PathPolicy(
                to: exchange.peer,
                under: session.access,
                waitsForConnectivity: session.configuration.waitsForConnectivity,
                $0
            )
        }
        let asksForTicket = exchange.asksForTicket
        if let fault = exchange.path?.faultAtBeginning(asksForTicket: asksForTicket) {
            return end(unsent: pathFailure(fault))
        }
        return .exchange(exchange.easyRequest())
    }

    /// The failure of an exchange without a path; nil when it failed for another reason.
    func pathFailure(_ code: CurlCode) -> TransferFailure? {
        guard !exchange.recorder.didSend else { return nil }
        guard let path = exchange.path else { return isCutOff(code) ? noNetwork(code) : nil }
        let tried = exchange.handle.triedPeer.map { (address: $0.ip, scope: $0.scope) }
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
        guard !exchange.peer.isLoopback else { return false }
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
        guard let path = exchange.path, !isReading else { return nil }
        let connections = exchange.session.multipathConnections
        let isMultipath = path.way.map { connections.contains($0.number) } ?? false
        return path.fault(in: network, isMultipath: isMultipath).map(pathFailure)
    }

    /// Ends the connection at once if its interface is forbidden, so that the kernel drops unsent
    /// bytes.
    func resetForbiddenPath() {
        guard exchange.session.access.isRestricted else { return }
        guard let way = exchange.path?.way else { return exchange.handle.resetConnections() }
        exchange.session.reset(way)
    }

    private func pathFailure(_ fault: PathPolicy.Fault?) -> TransferFailure {
        var failure = TransferFailure(
            fault,
            to: exchange.peer.host,
            phase: exchange.recorder.phase,
            isKnownUnprocessed: !exchange.recorder.hasSentAnything
        )
        if case .ticket? = fault { return failure }
        failure.isOfWholeSession = exchange.path?.isClosed ?? false
        return failure
    }
}
