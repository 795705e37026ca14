internal import CurlKit

/// The interface over which a connection was made; it stays the same when routes change.
struct ConnectionWay {
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
