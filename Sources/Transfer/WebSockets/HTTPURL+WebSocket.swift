internal import TransferModel

extension HTTPURL {
    /// The URL to which an opening handshake is redirected by a `Location`, which may have the
    /// schemes of WebSockets; nil for one that is no URL.
    func webSocketTarget(_ location: String) -> String? {
        for (scheme, other) in [("wss://", "https://"), ("ws://", "http://")]
        where location.prefix(scheme.count).lowercased() == scheme {
            return other + location.dropFirst(scheme.count)
        }
        return resolving(location)?.text
    }
}
