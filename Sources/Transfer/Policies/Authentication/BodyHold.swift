internal import TransferModel

/// Decides whether a request's body waits until the server, or its proxy, has answered the head
/// (`Expect: 100-continue`, RFC 9110 §10.1.1).
///
/// A value without I/O. libcurl waits a second for the answer, then it sends the body.
struct BodyHold {
    /// Whether the running exchange holds its body back, because a challenge may come.
    private(set) var awaitsChallenge = false
    /// Whether a server or a proxy of this attempt has refused to answer the head first.
    private(set) var isRefused = false
    /// Whether the running request left without its body, to be challenged first.
    private(set) var lacksBody = false

    /// What is known of a request that was answered 417 (Expectation Failed).
    struct Refusal {
        /// Whether a byte of the body has left.
        var hasSentBody: Bool
        /// Whether the request may leave once more.
        var mayRepeat: Bool
        /// The fields of the task's own request.
        var fields: [HeaderField]
        /// What the task expects of the response.
        var expectation: Expectation
        /// Whether the proxy was to answer the head first.
        var wasProxyAsked: Bool
    }

    /// Another URL is requested.
    mutating func beginHop(awaitsChallenge: Bool) { self.awaitsChallenge = awaitsChallenge }

    /// The running exchange's body is about to be read.
    mutating func beginBody() { lacksBody = false }

    /// The running request has left without its body.
    mutating func didSendWithoutBody() { lacksBody = true }

    /// The next request answers a challenge.
    mutating func didAnswerChallenge() { awaitsChallenge = false }

    /// The next request sends its body at once.
    mutating func didRefuse() {
        awaitsChallenge = false
        isRefused = true
    }

    /// Whether the running exchange's body waits for an answer to the head.
    func holdsBodyBack(forProxy: Bool) -> Bool { awaitsChallenge || forProxy && !isRefused }

    /// Whether the request leaves once more, without asking, after a 417.
    ///
    /// A task that counts on a 417 gets it. A body that has left leaves again only where the
    /// request may be repeated.
    func sendsUnasked(after refusal: Refusal) -> Bool {
        guard !refusal.hasSentBody || refusal.mayRepeat else { return false }
        let own = refusal.fields.filter { $0.name.lowercased() == "expect" }
        guard !own.isEmpty else { return holdsBodyBack(forProxy: refusal.wasProxyAsked) }
        return own.contains { $0.value.lowercased() == "100-continue" }
            && !refusal.expectation.statusCodes.contains { $0.contains(417) }
    }
}
