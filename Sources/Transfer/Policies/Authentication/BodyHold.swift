internal import TransferModel

/// Decides whether a request's body waits until the server, or its proxy, has answered the head
/// (`Expect: 100-continue`, RFC 9110 §10.1.1).
///
/// A value without I/O. libcurl waits one second for the answer, and then sends the body.
struct BodyHold {
    /// Whether the running exchange holds its body back because a challenge may come.
    private(set) var awaitsChallenge = false
    /// Whether a server or a proxy of this attempt has refused to answer the head first.
    private(set) var isRefused = false
    /// Whether the running request left without its body, to be challenged first.
    private(set) var lacksBody = false

    /// The facts about a request that was answered 417 (Expectation Failed).
    struct Refusal {
        /// Whether a byte of the body was sent.
        var hasSentBody: Bool
        /// Whether the request may be sent again.
        var mayRepeat: Bool
        /// The fields of the task's own request.
        var fields: [HeaderField]
        /// The task's requirements for the response.
        var expectation: Expectation
        /// Whether the proxy was asked to answer the head first.
        var wasProxyAsked: Bool
    }

    /// Prepares for a request to another URL.
    mutating func beginHop(awaitsChallenge: Bool) { self.awaitsChallenge = awaitsChallenge }

    /// Notes that libcurl is about to read the running exchange's body.
    mutating func beginBody() { lacksBody = false }

    /// Notes that the running request was sent without its body.
    mutating func didSendWithoutBody() { lacksBody = true }

    /// Notes that the next request answers a challenge.
    mutating func didAnswerChallenge() { awaitsChallenge = false }

    /// Notes that the next request sends its body at once.
    mutating func didRefuse() {
        awaitsChallenge = false
        isRefused = true
    }

    /// Whether the running exchange's body waits for an answer to the head.
    func holdsBodyBack(forProxy: Bool) -> Bool { awaitsChallenge || forProxy && !isRefused }

    /// Whether to send the request again without `Expect` after a 417.
    ///
    /// A task that expects a 417 gets it. A body that was sent is sent again only if the request
    /// may be repeated.
    func sendsUnasked(after refusal: Refusal) -> Bool {
        guard !refusal.hasSentBody || refusal.mayRepeat else { return false }
        let own = refusal.fields.filter { $0.name.lowercased() == "expect" }
        guard !own.isEmpty else { return holdsBodyBack(forProxy: refusal.wasProxyAsked) }
        return own.contains { $0.value.lowercased() == "100-continue" }
            && !refusal.expectation.statusCodes.contains { $0.contains(417) }
    }
}
