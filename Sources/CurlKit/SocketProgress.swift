internal import CCurl

/// What the kernel knows of a connection that libcurl has not told of: bytes that make no whole
/// line or TLS record yet, and those that the other end has taken of what libcurl has handed over
/// (`TCP_INFO`).
package struct SocketProgress: Sendable, Hashable {
    /// How long ago data came last.
    package var sinceReceived: Duration
    /// How long ago an acknowledgement came last, of data or not.
    package var sinceAcknowledged: Duration
    /// Bytes that the other end has acknowledged.
    package var acknowledgedBytes: UInt64

    package init(
        sinceReceived: Duration,
        sinceAcknowledged: Duration,
        acknowledgedBytes: UInt64
    ) {
        self.sinceReceived = sinceReceived
        self.sinceAcknowledged = sinceAcknowledged
        self.acknowledgedBytes = acknowledgedBytes
    }
}

extension SocketTable {
    /// What has gone through a connection; nil when it is closed, or no TCP.
    package func progress(of opening: Opening) -> SocketProgress? {
        guard isOpen(opening) else { return nil }
        var facts = ccurl_socket_facts()
        guard unsafe ccurl_socket_progress(opening.socket, &facts) == 1 else { return nil }
        return SocketProgress(
            sinceReceived: .milliseconds(Int64(facts.since_received_ms)),
            sinceAcknowledged: .milliseconds(Int64(facts.since_acknowledged_ms)),
            acknowledgedBytes: facts.acknowledged
        )
    }
}
