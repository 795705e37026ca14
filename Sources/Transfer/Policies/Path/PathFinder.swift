internal import CurlKit
internal import NetworkPath
internal import SystemKit
internal import TransferModel

/// Finds the paths of connections under a policy, on one engine thread.
final class PathFinder {
    private let monitor: NetworkMonitor
    /// nil when the kernel does not answer: then a restricted session may use no interface.
    private let socket: RouteSocket?

    init(_ monitor: NetworkMonitor) {
        self.monitor = monitor
        socket = try? RouteSocket()
    }

    /// Whether this machine has no route to any other machine now; false when the kernel does not
    /// say.
    static var isMachineCutOff: Bool {
        (try? RouteSocket().isCutOff()) ?? false
    }

    /// The last snapshot of the network.
    var current: NetworkSnapshot { monitor.current }

    /// Decides the path of a connection by the kernel's current routes.
    ///
    /// - Parameters:
    ///   - peer: The peer of the connection.
    ///   - scope: The interface of a link-local address; nil for any other address.
    ///   - access: The permitted interfaces.
    /// - Returns: The path, or why there is none.
    func decide(
        to peer: IPAddress,
        scope: Int32? = nil,
        under access: NetworkAccess
    ) -> NetworkSnapshot.Decision {
        guard let socket else {
            return access.isRestricted && !peer.isLoopback ? .refuse(nil) : .local
        }
        if let scope {
            // No other interface leads to that address.
            guard let interface = current.interface(scope), interface.isUp else {
                return .refuse(nil)
            }
            let denial = interface.classification.denial(under: access)
            return denial.map { .refuse($0) } ?? .open(interface)
        }
        // A new interface that no snapshot has yet is not used, because its class is unknown.
        let preferred = try? socket.interface(to: peer.unmapped)
        return current.decide(to: peer, preferred: preferred, under: access)
    }

    /// The interface by which packets of an unbound connection leave now.
    ///
    /// - Parameters:
    ///   - connection: The ends of the connection.
    ///   - scope: The interface of a link-local peer; nil for any other peer.
    /// - Returns: nil when there is none that is up.
    func interface(of connection: ConnectionEnds, scope: Int32?) -> NetworkInterface? {
        let index = scope ?? socket.flatMap { try? $0.interface(of: connection) }
        let interface = index.flatMap { current.interface($0) }
        return interface?.isUp == true ? interface : nil
    }

    /// Whether a connection to an address stays on this machine.
    func isLocal(_ address: IPAddress) -> Bool {
        address.isLoopback || current.interface(of: address) != nil
    }

    /// Whether no permitted interface leads anywhere, by the last snapshot.
    func isClosed(under access: NetworkAccess) -> Bool {
        current.status(for: access) != .satisfied
    }

    /// Whether no permitted interface leads anywhere, by a new snapshot.
    func isCutOff(under access: NetworkAccess) -> Bool {
        monitor.refresh().status(for: access) != .satisfied
    }
}

/// The machine's interfaces and routes, as `PathPolicy` needs them.
protocol NetworkWays: AnyObject {
    /// The last snapshot of the network.
    var current: NetworkSnapshot { get }

    /// Decides the path of a connection by the current routes.
    ///
    /// `scope` is the interface of a link-local address; nil for any other address.
    func decide(
        to peer: IPAddress,
        scope: Int32?,
        under access: NetworkAccess
    ) -> NetworkSnapshot.Decision

    /// The interface by which packets of an unbound connection leave now; nil when there is none
    /// that is up.
    func interface(of connection: ConnectionEnds, scope: Int32?) -> NetworkInterface?

    /// Whether a connection to an address stays on this machine.
    func isLocal(_ address: IPAddress) -> Bool

    /// Whether no permitted interface leads anywhere, by the last snapshot.
    func isClosed(under access: NetworkAccess) -> Bool

    /// Whether no permitted interface leads anywhere, by a new snapshot.
    func isCutOff(under access: NetworkAccess) -> Bool
}

extension PathFinder: NetworkWays {}

/// The interface over which a connection was made; it stays the same when routes change.
struct ConnectionInterface {
    let number: Int
    let connection: ConnectionFacts
    let interface: Int32
    /// Whether the socket is bound to the interface; otherwise the routes decide for each packet.
    let isBound: Bool
    /// nil when the socket is no longer known.
    let socket: ConnectionSocket?

    init(
        _ number: Int,
        _ connection: ConnectionFacts,
        _ interface: Int32,
        isBound: Bool,
        _ socket: ConnectionSocket?
    ) {
        self.number = number
        self.connection = connection
        self.interface = interface
        self.isBound = isBound
        self.socket = socket
    }
}
