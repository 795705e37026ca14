package import SystemKit

/// The endpoints and the protocol of a connection, by which the kernel chooses its route.
package struct ConnectionEnds: Sendable, Hashable {
    /// The address of this machine's end.
    package var own: IPAddress
    /// The port of this machine's end.
    package var ownPort: UInt16
    /// The address of the server or the proxy.
    package var peer: IPAddress
    /// The port of the server or the proxy.
    package var peerPort: UInt16
    /// UDP instead of TCP.
    package var isDatagram: Bool

    /// Creates the ends of a TCP or UDP connection.
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
