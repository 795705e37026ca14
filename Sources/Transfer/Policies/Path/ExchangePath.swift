internal import CurlKit
internal import NetworkPath
internal import TransferModel

/// What is known of the way of one exchange under a policy.
struct ExchangePath {
    /// Why an address was refused; nil while none was, and inside when no interface leads there.
    var refusal: NetworkUnavailableReason??
    /// The interface that the socket which is being opened is to use.
    var device: NetworkInterface?
    /// Those of all sockets that were opened, which race each other.
    var devices: Set<Int32> = []
    /// Whether any socket was left to connect.
    var isTried = false
    /// The way of the connection that the request went over; nil before, and for one that does not leave the machine.
    var way: ConnectionWay?
}

/// The way that a connection was made, which it keeps however the routes change.
struct ConnectionWay {
    let number: Int
    let connection: ConnectionFacts
    let interface: Int32
    /// Whether its socket is bound to the interface; otherwise the routes decide, packet by packet.
    let isBound: Bool
    /// nil when it is not known any more.
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
