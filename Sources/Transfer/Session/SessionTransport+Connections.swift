internal import CurlKit
internal import HTTPCache
internal import NetworkPath
internal import SystemKit
internal import TransferModel

// Decides which sockets and connections of the session an exchange may use.
extension SessionTransport {
    /// The options of the socket to an address; nil when no permitted interface leads there.
    func options(for peer: SocketAddress, _ path: inout PathPolicy?) -> SocketOptions? {
        var options = socketOptions
        switch path?.way(to: peer.ip, scope: peer.scope) {
        case .refused: return nil
        case .open(let device): options.device = device
        case .local, nil: break
        }
        return options
    }

    /// Whether a request may use a connection, by the connection's interface.
    func use(
        _ facts: ConnectionFacts,
        _ number: Int,
        isNew: Bool,
        of handle: EasyHandle,
        _ path: inout PathPolicy?
    ) -> PathPolicy.Use {
        let known = isNew ? nil : ways[number]
        let socket = isNew ? handle.socket(of: facts) : known?.socket
        let use = path?.use(facts, number, known: known, socket: socket) ?? .free
        if case .over = use, let way = path?.way { keep(way) }
        return use
    }

    /// Whether a connection may use several paths; a reused connection keeps that property.
    func isMultipath(
        _ facts: ConnectionFacts,
        _ number: Int,
        isNew: Bool,
        of handle: EasyHandle
    ) -> Bool {
        if isNew, handle.socket(of: facts)?.isMultipath == true {
            multipathConnections.insert(number)
        }
        return multipathConnections.contains(number)
    }

    /// Whether a reused connection is as its last response left it; otherwise extra bytes would
    /// pass for the next response.
    ///
    /// Frames of HTTP/2 and HTTP/3 name their stream and may come at any time (PING, GOAWAY):
    /// libcurl reads them. A TLS session ticket looks like other encrypted bytes, so that it costs
    /// the connection.
    func isClean(_ facts: ConnectionFacts, isEncrypted: Bool, of handle: EasyHandle) -> Bool {
        if handle.hasStreams { return true }
        // Both are checked, because `isClean` also forgets a spoiled connection.
        return connections.isClean(facts) && !(isEncrypted && handle.hasUnreadTLS)
    }

    /// Removes all stored responses that a response from the network makes invalid (RFC 9111 §4.4).
    func invalidate(
        after head: ResponseHead,
        of request: RequestSpec,
        at time: @autoclosure () -> Timestamp
    ) {
        guard !RequestSpec.isSafe(request.method) else { return }
        context.invalidation?.apply(head, to: request.method, request.url, at: time())
    }
}
