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

    /// The network as it was seen last.
    var current: NetworkSnapshot { monitor.current }

    /// Which way a connection goes, by the kernel's routes of this moment.
    func decide(to peer: IPAddress, under access: NetworkAccess) -> NetworkSnapshot.Decision {
        guard let socket else {
            return access.isRestricted && !peer.isLoopback ? .refuse(nil) : .local
        }
        // One that has just come is in no snapshot yet, and not taken: nobody knows what it is.
        let preferred = try? socket.interface(to: peer.unmapped)
        return current.decide(to: peer, preferred: preferred, under: access)
    }

    /// The interface that a connection's own address belongs to; nil when none does.
    func interface(of address: String) -> NetworkInterface? {
        guard let address = IPAddress(address) else { return nil }
        if let found = current.interface(of: address) { return found }
        return socket.flatMap { monitor.refresh($0).interface(of: address) }
    }

    /// Whether there is no way to anywhere that a policy permits, by a fresh look.
    func isCutOff(under access: NetworkAccess) -> Bool {
        let snapshot = socket.map(monitor.refresh) ?? current
        return snapshot.status(for: access) != .satisfied
    }
}
