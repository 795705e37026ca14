internal import CurlKit
internal import TransferModel

// Carries out what `ConnectionPolicy` decides.
extension Attempt {
    /// Whether a reused connection is as its last response has left it; otherwise its next bytes
    /// would pass for the answer.
    ///
    /// Frames of HTTP/2 and HTTP/3 say which stream they are for, and come at any time (PING,
    /// GOAWAY): those are libcurl's to read. A TLS session ticket cannot be told from other
    /// encrypted bytes, so that one costs the connection.
    func mayReuse(_ facts: ConnectionFacts) -> Bool {
        if handle.hasStreams { return true }
        let isEncrypted = hop.url.origin.scheme == .https || proxy.route?.isEncrypted == true
        // Both are looked at: a spoiled connection is forgotten with its last use.
        let isClean = session.connections.isClean(facts)
        if isClean, !isEncrypted || !handle.hasUnreadTLS { return true }
        if !connection.refusedReuse.refuse() {
            failure = recorder.stage.uncleanConnections
        }
        return false
    }

    /// Begins the exchange once more on a new connection: nothing of it has left.
    func beginOnNewConnection() -> Next {
        connection.refusedReuse.didEnd()
        sent.answersChallenge = sent.hasAnsweredChallenge
        return send()
    }

    /// libcurl has dropped bytes that came behind the response: what follows them is not the next
    /// one.
    func didDropExcess() {
        recorder.record.connectionIdentifier.map { session.connections.spoil($0) }
    }

    /// Whether a request may go over a new connection whose server chose no version of HTTP.
    func mayUseUnchosenVersion() -> Bool {
        connection.mayUseUnchosenVersion(
            connectionDemand,
            isKnown: session.originsWithoutALPN.contains(hop.url.origin)
        )
    }

    /// Whether the request leaves once more because libcurl has given it up, although nothing is
    /// wrong with it.
    func mayResend(after code: CurlCode) -> Bool {
        guard !hasFailed, head == nil else { return false }
        let detail = code.isOK ? nil : handle.errorDetail
        if connection.lacksVersion(connectionDemand, after: code, detail: detail) { return true }
        // The server may have seen the request: it must be one that may arrive twice.
        return !isStream && request.resending.allows(hop)
            && connection.mayResend(after: code, detail: detail)
    }

    /// Sends the request once more over a new connection, before others that will share it.
    func resend() -> Next {
        connection.resend()
        return exchange(.transparentRetry)
    }
}
