internal import TransferModel

extension TransactionRecorder {
    /// The moments of one exchange, as monotonic readings.
    struct Moments {
        var fetchStart: MonotonicTime
        /// When libcurl began with the connection: its own times count from here.
        var origin: MonotonicTime?
        var lookupStart: MonotonicTime?
        /// Whether the name was in libcurl's cache, so that nobody was asked.
        var isNameAtHand = false
        var lookupEnd: MonotonicTime?
        var connectStart: MonotonicTime?
        var tcpConnectEnd: MonotonicTime?
        var secureStart: MonotonicTime?
        var secureEnd: MonotonicTime?
        var connectEnd: MonotonicTime?
        var requestStart: MonotonicTime?
        /// The last byte that left; the request's end when its body is whole.
        var lastSent: MonotonicTime?
        var responseStart: MonotonicTime?
        var lastReceived: MonotonicTime?
    }
}
