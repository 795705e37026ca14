internal import CCurl

/// The kernel's view of a connection's progress (`TCP_INFO`): received bytes that do not complete a
/// line or TLS record, and sent bytes that the peer has acknowledged.
package struct SocketProgress: Sendable, Hashable {
    /// The time since data last arrived.
    package var sinceReceived: Duration
    /// The time since the last acknowledgement, with or without data.
    package var sinceAcknowledged: Duration
    /// The bytes that the peer has acknowledged.
    package var acknowledgedBytes: UInt64

    /// Creates a reading of a connection's progress.
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
    /// The progress of a connection; nil when it is closed or does not use TCP.
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
