extension SessionConfiguration {
    /// Whether the session may use Kerberos tickets (RFC 4559): libcurl blocks its thread until the
    /// Kerberos service answers.
    package var asksForTickets: Bool {
        let slots = ProxyServers.Slot.allCases
        return credentials.contains { $0.proof.asksForTickets }
            || slots.contains { proxy.servers?[$0]?.credentials?.method == .negotiate }
    }
}

extension Credential.Proof {
    fileprivate var asksForTickets: Bool {
        if case .negotiate = self { true } else { false }
    }
}

extension SessionConfiguration {
    /// Whether the session may reach file servers: libcurl blocks its thread until such a server
    /// confirms the end of a transfer or a connection.
    package var reachesFileServers: Bool { ftp != nil || ssh != nil }

    /// Whether libcurl may block the thread of the session's transfers.
    package var mayBlock: Bool { asksForTickets || reachesFileServers }
}
