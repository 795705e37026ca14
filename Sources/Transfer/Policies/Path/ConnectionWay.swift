internal import CurlKit

/// The way that a connection was made, which it keeps however the routes change.
struct ConnectionWay {
    let number: Int
    let connection: ConnectionFacts
    let interface: Int32
    /// Whether its socket is bound to the interface; otherwise the routes decide, packet by packet.
    let isBound: Bool
    /// nil when the socket is not known any more.
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
