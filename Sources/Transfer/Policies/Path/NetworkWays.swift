internal import NetworkPath
internal import SystemKit
internal import TransferModel

/// The machine's interfaces and routes, as a `PathPolicy` asks for them.
protocol NetworkWays: AnyObject {
    /// The network as it was seen last.
    var current: NetworkSnapshot { get }

    /// Which way a connection goes, by the routes of this moment.
    ///
    /// `scope` is the interface that an address of one link is at; nil for any other address.
    func decide(
        to peer: IPAddress,
        scope: Int32?,
        under access: NetworkAccess
    ) -> NetworkSnapshot.Decision

    /// The interface that the packets of an unbound connection leave by at this moment; nil when
    /// there is none that is up.
    func interface(of connection: ConnectionEnds, scope: Int32?) -> NetworkInterface?

    /// Whether a connection to an address does not leave this machine.
    func isLocal(_ address: IPAddress) -> Bool

    /// Whether nothing that a policy permits leads anywhere.
    func isClosed(under access: NetworkAccess) -> Bool

    /// Whether there is no way to anywhere that a policy permits, by a fresh look.
    func isCutOff(under access: NetworkAccess) -> Bool
}

extension PathFinder: NetworkWays {}
