internal import NetworkPath
internal import TransferModel

/// What is known of the way of one exchange under a policy.
struct ExchangePath {
    /// Why an address was refused; nil while none was, and inside when no interface leads there.
    var refusal: NetworkUnavailableReason??
    /// The interface that the socket is to use.
    var device: NetworkInterface?
    /// Whether any socket was left to connect.
    var isTried = false
    /// Whether it was.
    var isBound = false
    /// Whether a reused connection goes over an interface that may not be used any more.
    var isReuseRefused = false
    /// The interface that the request went over; nil before, and for what does not leave the machine.
    var interface: Int32?
}
