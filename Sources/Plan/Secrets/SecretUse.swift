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
        /// A credential of the session or of its proxy, which goes where that says.
        case credential
    }

    var secrets: SecretSet
    var place: Place
    /// The value in the document.
    var node: NodeID

    /// Whether a session has the field, the credentials or a proxy of `base`, so that its value is
    /// used.
    func stands(in session: SessionConfiguration, as base: SessionConfiguration) -> Bool {
        guard case .header(let name) = place else {
            return place == .credential
                && (session.credentials == base.credentials || session.proxy.shares(base.proxy))
        }
        return base.httpAdditionalHeaders.contains {
            $0.name == name && session.httpAdditionalHeaders.contains($0)
        }
    }
}
