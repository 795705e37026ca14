internal import CurlKit
internal import NetworkPath
internal import SystemKit
internal import TransferModel

// Which interface an exchange goes over, in sessions that do not take any.
extension Attempt {
    /// Who is connected to: the proxy, where there is one.
    private var peer: Origin { route?.origin ?? hop.url.origin }

    /// The hop's request; the end, when no interface may be used for it.
    func send() -> Next {
        if session.paths != nil { choosePath() }
        return hasFailed ? .finished(result()) : .exchange(easyRequest())
    }

    /// Fails before a name is looked up when no permitted interface leads anywhere.
    private func choosePath() {
        path = ExchangePath()
        guard let paths = session.paths, !peer.isLoopback else { return }
        if let address = IPAddress(peer.host) {
            guard case .refuse(let reason) = paths.decide(to: address, under: session.access)
            else { return }
            failure = noPath(reason)
        } else if case .unsatisfied(let reason) = paths.current.status(for: session.access) {
            failure = noPath(reason)
        }
    }

    /// What the socket to an address is told; nil when no permitted interface leads there.
    func socketOptions(for peer: SocketAddress) -> SocketOptions? {
        var options = session.socketOptions
        guard let paths = session.paths else { return options }
        guard let address = peer.ip else { return nil }
        switch paths.decide(to: address, under: session.access) {
        case .local:
            path?.device = nil
        case .open(let interface):
            path?.device = interface
            // Without a policy the routes decide, also when they change.
            if session.access.isRestricted { options.device = interface.name }
        case .refuse(let reason):
            path?.refusal = .some(reason)
            return nil
        }
        if options.device == nil { path?.isTried = true }
        return options
    }

    /// Notes what became of binding a socket; false when it must not be used unbound.
    func noteBinding(_ binding: SocketBinding) -> Bool {
        path?.isBound = binding == .bound
        path?.isTried = true
        guard binding != .bound, let device = path?.device, let address = handle.triedAddress else {
            return true
        }
        // An old kernel does not let everybody bind: the route will do where it leads over the same interface.
        let decision = session.paths?.decide(to: address, under: [.flags, .unclassified])
        if case .open(device)? = decision { return true }
        path?.isTried = false
        path?.refusal = .some(nil)
        return false
    }

    /// Whether a request may go over a connection, by the interface that its own address belongs to.
    func mayUse(_ connection: ConnectionFacts, isNew: Bool) -> Bool {
        guard let paths = session.paths else { return true }
        let bound = isNew && path?.isBound == true ? path?.device : nil
        guard let interface = bound ?? paths.interface(of: connection.localAddress) else {
            return refuse(isNew: isNew, reason: nil)
        }
        if interface.isLoopback { return true }
        let found = interface.classification
        if let reason = found.denial(under: session.access) {
            return refuse(isNew: isNew, reason: reason)
        }
        // A connection that may be reused under a policy was bound when it was made.
        let isRestricted = session.access.isRestricted
        let isBound = isNew ? path?.isBound == true : session.bindsSockets
        if isNew, isRestricted { session.bindsSockets = isBound }
        path?.interface = interface.index
        recorder.willUse(
            TransactionMetrics.Path(
                interface: interface.name,
                isCellular: found.isCellular,
                isExpensive: found.isExpensive,
                isConstrained: found.isConstrained,
                enforcement: isRestricted ? (isBound ? .device : .route) : nil
            )
        )
        return true
    }

    private func refuse(isNew: Bool, reason: NetworkUnavailableReason?) -> Bool {
        // An own address that nobody has is one that has just gone: only a policy makes that a fault.
        if reason == nil, !session.access.isRestricted { return true }
        path?.refusal = .some(reason)
        path?.isReuseRefused = !isNew && !isResent
        return false
    }

    /// The failure of an exchange that had no way; nil when it has failed for another reason.
    func pathFailure(_ code: CurlCode) -> TransferFailure? {
        guard let path, let paths = session.paths, !recorder.hasSentAnything else { return nil }
        // No address was permitted, or a request was kept from a connection.
        if let refusal = path.refusal, code.rawValue == 42 || !path.isTried {
            return noPath(refusal)
        }
        guard session.configuration.waitsForConnectivity, [6, 7].contains(code.rawValue) else {
            return nil
        }
        // ENETDOWN, ENETUNREACH, EHOSTUNREACH.
        let isUnreachable = osErrno(behind: code).map { [100, 101, 113].contains($0) } ?? false
        return isUnreachable || !peer.isLoopback && paths.isCutOff(under: session.access)
            ? noPath(nil) : nil
    }

    /// The failure of an exchange whose interface is gone, or may not be used any more; nil while it may.
    func lostPath(in network: NetworkSnapshot) -> TransferFailure? {
        guard let index = path?.interface ?? path?.device?.index else { return nil }
        let interface = network.interface(index)
        if let reason = interface?.classification.denial(under: session.access) {
            return noPath(reason)
        }
        guard session.configuration.waitsForConnectivity else { return nil }
        return interface.map(network.isUsable) == true ? nil : noPath(nil)
    }

    /// Notes whether a connection may use several paths, which stays so while it is reused.
    func noteMultipath(_ connection: ConnectionFacts, _ number: Int, isNew: Bool) {
        if isNew, handle.isMultipath(connection) { session.multipathConnections.insert(number) }
        recorder.noteMultipath(session.multipathConnections.contains(number))
    }

    private func noPath(_ reason: NetworkUnavailableReason?) -> TransferFailure {
        let phase = recorder.phase
        let what =
            switch reason {
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
        failure.isKnownUnprocessed = !recorder.hasSentAnything
        failure.help = "see `runner interfaces` for what may be used"
        return failure
    }
}
