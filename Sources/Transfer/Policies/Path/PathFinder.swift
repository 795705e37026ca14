internal import NetworkPath
internal import SystemKit
internal import TransferModel

/// Finds the way of connections under a policy, on one engine thread.
final class PathFinder {
    private let monitor: NetworkMonitor
    /// nil where the kernel does not answer: then nothing that is forbidden anywhere is permitted.
    private let socket: RouteSocket?

    init(_ monitor: NetworkMonitor) {
        self.monitor = monitor
        socket = try? RouteSocket()
    }

    /// Whether this machine has no way to any other one, by a look of this moment; false where the
    /// kernel does not say.
    static var isMachineCutOff: Bool {
        (try? RouteSocket().isCutOff()) ?? false
    }

    /// The network as it was seen last.
    var current: NetworkSnapshot { monitor.current }

    /// Which way a connection goes, by the kernel's routes of this moment.
    ///
    /// - Parameters:
    ///   - peer: Whom it is for.
    ///   - scope: The interface that an address of one link is at; nil for any other.
    ///   - access: What it may use.
    /// - Returns: The way, or why there is none.
    func decide(
        to peer: IPAddress,
        scope: Int32? = nil,
        under access: NetworkAccess
    ) -> NetworkSnapshot.Decision {
        guard let socket else {
            return access.isRestricted && !peer.isLoopback ? .refuse(nil) : .local
        }
        if let scope {
            // No other interface leads there.
            guard let interface = current.interface(scope), interface.isUp else {
                return .refuse(nil)
            }
            let denial = interface.classification.denial(under: access)
            return denial.map { .refuse($0) } ?? .open(interface)
        }
        // One that has just come is in no snapshot yet, and not taken: nobody knows what it is.
        let preferred = try? socket.interface(to: peer.unmapped)
        return current.decide(to: peer, preferred: preferred, under: access)
    }

    /// The interface that the packets of an unbound connection leave by at this moment.
    ///
    /// - Parameters:
    ///   - connection: Its ends.
    ///   - scope: The interface that a peer of one link is at; nil for any other.
    /// - Returns: nil when there is none that is up.
    func interface(of connection: ConnectionEnds, scope: Int32?) -> NetworkInterface? {
        let index = scope ?? socket.flatMap { try? $0.interface(of: connection) }
        let interface = index.flatMap { current.interface($0) }
        return interface?.isUp == true ? interface : nil
    }

    /// Whether a connection to an address does not leave this machine.
    func isLocal(_ address: IPAddress) -> Bool {
        address.isLoopback || current.interface(of: address) != nil
    }

    /// Whether nothing that a policy permits leads anywhere.
    func isClosed(under access: NetworkAccess) -> Bool {
        current.status(for: access) != .satisfied
    }

    /// Whether there is no way to anywhere that a policy permits, by a fresh look.
    func isCutOff(under access: NetworkAccess) -> Bool {
        monitor.refresh().status(for: access) != .satisfied
    }
}
