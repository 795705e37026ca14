/// The meaning of the server's bytes for the application.
package enum ConnectionEvent: Sendable, Hashable {
    /// A whole message arrived.
    case message(Message)
    /// A ping with this payload arrived, which the machine answers.
    case ping([UInt8])
    /// A pong with this payload arrived; it answers this many pings, 0 if unsolicited.
    case pong([UInt8], answered: Int)
    /// The server's Close frame arrived; no message follows.
    case closing(Closing)
    /// The server broke the protocol; no later bytes are read.
    case failed(ProtocolFault)
    /// The transport has ended; the last event.
    case ended(ConnectionEnd)
}
