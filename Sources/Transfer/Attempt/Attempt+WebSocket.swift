internal import CurlKit
internal import TransferModel

// The steps of an attempt that opens a WebSocket.
extension Attempt {
    /// Goes on after the response to an opening handshake that opened no WebSocket: redirects,
    /// challenges and refusals are those of any exchange.
    func endHandshake() -> Next {
        exchange.dialogue = nil
        // The rest of the response stays unread.
        exchange.response.isCutOff = true
        return end(CurlCode(rawValue: 23))
    }

    /// The failure of a request whose credential needs a dialogue that a raw connection cannot
    /// have; nil for other requests.
    var webSocketLoginFault: TransferFailure? {
        guard exchange.request.webSocket != nil,
            let name = exchange.authentication?.easy?.nameOfDialogue
        else { return nil }
        var failure = TransferFailure(
            kind: .httpStatus,
            phase: .prepare,
            detail: "credentials of the method `\(name)` are not supported for WebSockets"
        )
        failure.httpStatus = 401
        failure.urlError = .userAuthenticationRequired
        failure.isPermanent = true
        failure.isKnownUnprocessed = true
        failure.help = "use `basic` or `bearer`"
        return failure
    }

    /// The target of a redirect of an opening handshake, whose `Location` may have the schemes of
    /// WebSockets.
    func webSocketTarget(_ head: ResponseHead) -> String? {
        guard let location = head.fields["location"] else { return nil }
        for (scheme, other) in [("wss://", "https://"), ("ws://", "http://")]
        where location.prefix(scheme.count).lowercased() == scheme {
            return other + location.dropFirst(scheme.count)
        }
        return exchange.hop.url.resolving(location)?.text
    }
}
