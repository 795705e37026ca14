internal import CurlKit
internal import TransferModel

// Carries out the decisions of `ConnectionPolicy`.
extension Attempt {
    /// Whether a reused connection is as its last response left it; otherwise extra bytes would
    /// pass for the next response.
    ///
    /// Frames of HTTP/2 and HTTP/3 name their stream and may come at any time (PING, GOAWAY):
    /// libcurl reads them. A TLS session ticket looks like other encrypted bytes, so that it costs
    /// the connection.
    func mayReuse(_ facts: ConnectionFacts) -> Bool {
        if handle.hasStreams { return true }
        let isEncrypted = hop.url.origin.scheme == .https || proxy.route?.isEncrypted == true
        // Both are checked, because `isClean` also forgets a spoiled connection.
        let isClean = session.connections.isClean(facts)
        if isClean, !isEncrypted || !handle.hasUnreadTLS { return true }
        if !connection.refusedReuse.refuse() {
            failure = recorder.stage.uncleanConnections
        }
        return false
    }

    /// Begins the exchange again on a new connection; nothing of it was sent.
    func beginOnNewConnection() -> Next {
        connection.refusedReuse.didEnd()
        sent.answersChallenge = sent.hasAnsweredChallenge
        return send()
    }

    /// Notes that libcurl dropped bytes after the response, so that the following bytes are not the
    /// next response.
    func didDropExcess() {
        recorder.record.connectionIdentifier.map { session.connections.spoil($0) }
    }

    /// Whether a request may use a new connection whose server chose no version of HTTP.
    func mayUseUnchosenVersion() -> Bool {
        connection.mayUseUnchosenVersion(
            connectionDemand,
            isKnown: session.originsWithoutALPN.contains(hop.url.origin)
        )
    }

    /// Whether to send the request again because libcurl gave it up, although nothing is wrong with
    /// it.
    func mayResend(after code: CurlCode) -> Bool {
        guard !hasFailed, head == nil else { return false }
        let detail = code.isOK ? nil : handle.errorDetail
        if connection.lacksVersion(connectionDemand, after: code, detail: detail) { return true }
        // The server may have seen the request: it must be repeatable.
        return !isStream && request.resending.allows(hop)
            && connection.mayResend(after: code, detail: detail)
    }

    /// Sends the request again over a new connection, before others that will share it.
    func resend() -> Next {
        connection.resend()
        return exchange(.transparentRetry)
    }
}
