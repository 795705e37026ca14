internal import CurlKit
internal import TransferModel

// Carries out the decisions of `ProxyPolicy`.
extension Attempt {
    /// Chooses the route to the hop's origin.
    func chooseRoute() {
        proxy.beginExchange(
            to: hop.url.origin,
            by: session.route(to: hop.url.origin),
            carriesBody: carriesBody,
            keepsChallenge: sent.answersChallenge
        )
        noteRoute()
    }

    /// Records the route of a request that is about to leave.
    func noteRoute() {
        if let route = proxy.route { recorder.willUseProxy(route.url) }
    }

    /// Takes a line of a proxy's answer to a request for a tunnel; false ends the transfer.
    func didReceiveTunnelHeader(_ line: Span<UInt8>) -> Bool {
        _ = move(bytes: line.count)
        let step = proxy.didReceiveTunnelHeader(line)
        let answer = proxy.tunnel?.response
        recorder.didReceiveTunnelHead(count: line.count, statusCode: answer?.statusCode)
        switch step {
        case .answered(407): return answer.map(didAsk) ?? true
        case .answered, .reading: return true
        case .violation(let words):
            failure = proxy.violation(words, at: recorder.stage)
            return false
        }
    }

    /// Whether another byte of the body of a tunnel response is acceptable.
    ///
    /// libcurl reads the whole body before this thread does anything else.
    func mayDiscardTunnelBody() -> Bool {
        guard proxy.tunnel?.mayDiscardByte() == false else { return true }
        failure = proxy.excessQuestion(at: recorder.stage, head, limit: TunnelRequest.bodyLimit)
        return false
    }

    /// Takes a proxy's challenge instead of the origin's response; false ends the transfer.
    func didReceiveQuestion(_ head: ResponseHead) -> Bool {
        let continues = didAsk(head)
        if proxy.hasSequel { response.sink.discard() } else { response.sink.keepExcerpt() }
        return continues
    }

    private func didAsk(_ head: ResponseHead) -> Bool {
        handle.hearDiscardedBody()
        let step = proxy.didAsk(head)
        if step.forgetsChallenge { handle.noteChallenge() }
        if step.isLast { failure = proxy.refusal(at: recorder.stage) }
        return !step.isLast
    }

    /// Begins the exchange after a challenge that libcurl did not answer.
    func answerProxy() -> Next {
        sent.answersChallenge = proxy.answersNext
        return exchange(.authentication)
    }
}
