internal import TransferModel

extension BodyHold.Refusal {
    /// The facts about the running request of an exchange.
    init(of exchange: Exchange) {
        hasSentBody = exchange.recorder.sentBodyBytes > 0
        mayRepeat = exchange.request.resending.allows(exchange.hop)
        fields = exchange.hop.headers
        expectation = exchange.request.expectation
        wasProxyAsked = exchange.policies.proxy.asksFirst
    }
}
