internal import JobFile
internal import TransferModel

/// A value that holds secrets and is sent.
struct SecretUse: Sendable {
    /// The part of the request that it becomes.
    enum Place: Sendable, Hashable {
        case url
        /// A field of that name.
        case header(String)
        case body
        /// The credentials of a session's proxy.
        case proxy
    }

    var secrets: SecretSet
    var place: Place
    /// The value in the document.
    var node: NodeID

    /// Whether a session has the field or a proxy of `base`, so that its value is used.
    func stands(in session: SessionConfiguration, as base: SessionConfiguration) -> Bool {
        if place == .proxy {
            guard let servers = session.proxy.servers, let own = base.proxy.servers else {
                return false
            }
            return ProxyServers.Slot.allCases.contains {
                own[$0]?.credentials != nil && servers[$0] == own[$0]
            }
        }
        guard case .header(let name) = place else { return false }
        return base.httpAdditionalHeaders.contains {
            $0.name == name && session.httpAdditionalHeaders.contains($0)
        }
    }
}
