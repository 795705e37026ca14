internal import TransferModel

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
        _ fault: PathPolicy.Fault?,
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
