internal import CurlKit
internal import NetworkPath
internal import SystemKit
internal import TransferModel

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
