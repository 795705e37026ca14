package import SystemKit

/// The endpoints and the protocol of a connection, by which the kernel chooses its route.
package struct ConnectionEnds: Sendable, Hashable {
    package var own: IPAddress
    package var ownPort: UInt16
    package var peer: IPAddress
    package var peerPort: UInt16
    /// UDP instead of TCP.
    package var isDatagram: Bool

    package init(
        own: IPAddress,
        ownPort: UInt16,
        peer: IPAddress,
        peerPort: UInt16,
        isDatagram: Bool = false
    ) {
        self.own = own
        self.ownPort = ownPort
        self.peer = peer
        self.peerPort = peerPort
        self.isDatagram = isDatagram
    }
}
