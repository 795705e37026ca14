internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Limits what an exchange reads of a body that it does not want.
///
/// That is the body that libcurl discards or that another request follows, and the framing of
/// chunks.
struct UnwantedBody {
    let exchange: Exchange

    init(of exchange: Exchange) { self.exchange = exchange }

    /// Takes a piece of a chunked body with its framing, which alone is no sign of life.
    func didReceiveChunks(_ count: Int) {
        // Earlier pieces were delivered by now.
        let excess = exchange.response.excessFraming(
            received: exchange.recorder.receivedBodyBytes,
            delivered: exchange.recorder.deliveredBytes
        )
        if let excess {
            if !exchange.hasFailed { exchange.fail(excess) }
            // libcurl calls `mayDiscard` after each piece, also without any of the body.
            exchange.handle.hearDiscardedBody()
        }
        exchange.recorder.didTransfer(.bodyReceived, count: count, at: .now)
    }

    /// Takes the count of a body that libcurl discards.
    func discard(received: Int64) throws(TransferFailure) {
        if exchange.response.discarded.didGrow(to: received) { _ = exchange.move() }
        // Only libcurl 7.88 reports the framing of the body; all versions report pieces without
        // body bytes.
        if exchange.response.parser.framing.isChunked, exchange.response.discarded.isStuck {
            throw excess(limit: nil)
        }
        try count(max(received, exchange.recorder.receivedBodyBytes))
    }

    /// Counts the body of a response that another request follows.
    func count(_ bytes: Int64) throws(TransferFailure) {
        guard bytes <= DiscardedBody.limit else { throw excess(limit: DiscardedBody.limit) }
    }

    /// The failure of an unwanted body: the failure of a proxy's question where no response is
    /// judged.
    private func excess(limit: Int64?) -> TransferFailure {
        let stage = exchange.recorder.stage
        guard exchange.verdict == nil else {
            return stage.excessBody(of: exchange.head?.statusCode, limit: limit)
        }
        return exchange.policies.proxy.excessQuestion(at: stage, exchange.head, limit: limit)
    }
}
