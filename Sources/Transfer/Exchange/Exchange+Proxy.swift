internal import CurlKit
internal import TransferModel

// Asks `ProxyPolicy` about the answers of proxies.
extension Exchange {
    /// Takes a line of a proxy's answer to a request for a tunnel; false ends the transfer.
    func didReceiveTunnelHeader(_ line: Span<UInt8>) throws(TransferFailure) -> Bool {
        _ = move(bytes: line.count)
        let step = policies.proxy.didReceiveTunnelHeader(line)
        let answer = policies.proxy.tunnel?.response
        recorder.didReceiveTunnelHead(count: line.count, statusCode: answer?.statusCode)
        switch step {
        case .answered(407): if let answer { try didAsk(answer) }
        case .answered, .reading: break
        case .violation(let words): throw policies.proxy.violation(words, at: recorder.stage)
        }
        return true
    }

    /// Takes a proxy's challenge instead of the origin's response.
    func didReceiveQuestion(_ head: ResponseHead) throws(TransferFailure) {
        defer {
            if policies.proxy.hasSequel {
                response.sink.discard()
            } else {
                response.sink.keepExcerpt()
            }
        }
        try didAsk(head)
    }

    private func didAsk(_ head: ResponseHead) throws(TransferFailure) {
        handle.hearDiscardedBody()
        let step = policies.proxy.didAsk(head)
        if step.forgetsChallenge { handle.noteChallenge() }
        if step.isLast { throw policies.proxy.refusal(at: recorder.stage) }
    }
}
