extension SessionConfiguration {
    /// Whether tickets may prove who asks (RFC 4559): libcurl stops its thread while a Kerberos
    /// service does not answer.
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
