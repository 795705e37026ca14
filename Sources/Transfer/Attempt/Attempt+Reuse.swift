internal import CurlKit
internal import TransferModel

// Whether a request may go over a connection that was kept.
extension Attempt {
    /// Whether a reused connection is as its last response has left it; otherwise its next bytes would pass for the answer.
    ///
    /// Frames of HTTP/2 and HTTP/3 say which stream they are for, and come at any time (PING, GOAWAY): those are libcurl's to read.
    /// A TLS session ticket cannot be told from other encrypted bytes, so that one costs the connection.
    func mayReuse(_ connection: ConnectionFacts) -> Bool {
        if handle.hasStreams { return true }
        let isEncrypted = hop.url.origin.scheme == .https || route?.isEncrypted == true
        // Both are looked at: a spoiled connection is forgotten with its last use.
        let isClean = session.connections.isClean(connection)
        if isClean, !isEncrypted || !handle.hasUnreadTLS { return true }
        if !reuse.refuse() { failure = uncleanConnections }
        return false
    }

    /// Begins the exchange once more on a new connection: nothing of it has left.
    func beginOnNewConnection() -> Next {
        reuse.didEnd()
        answersChallenge = hasAnsweredChallenge
        return send()
    }

    /// libcurl has dropped bytes that came behind the response: what follows them is not the next one.
    func didDropExcess() {
        recorder.record.connectionIdentifier.map { session.connections.spoil($0) }
    }

    private var uncleanConnections: TransferFailure {
        var failure = connectionLoss
        failure.detail = "every idle connection had bytes that no request has asked for"
        return failure
    }
}
