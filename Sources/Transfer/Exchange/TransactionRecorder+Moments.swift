internal import TransferModel

extension TransactionRecorder {
    /// The times of one exchange, as monotonic readings.
    struct Moments {
        var fetchStart: MonotonicTime
        /// When libcurl started the connection: its own times count from here.
        var origin: MonotonicTime?
        var lookupStart: MonotonicTime?
        /// Whether the name was in libcurl's cache.
        var isNameAtHand = false
        var lookupEnd: MonotonicTime?
        var connectStart: MonotonicTime?
        var tcpConnectEnd: MonotonicTime?
        var secureStart: MonotonicTime?
        var secureEnd: MonotonicTime?
        var connectEnd: MonotonicTime?
        var requestStart: MonotonicTime?
        /// When the last byte was sent; the request's end if its body is complete.
        var lastSent: MonotonicTime?
        var responseStart: MonotonicTime?
        var lastReceived: MonotonicTime?
    }
}
