internal import CurlKit
internal import TransferModel

/// Ends responses whose body is nearly all framing, or is too long to be discarded.
///
/// A value without state of its own: the exchange has the counts.
struct BodyLimit {
    /// The limit of a discarded body.
    private static let passedOver: Int64 = 1 << 20

    let exchange: Exchange

    /// Takes a piece of a chunked body with its framing, which alone is no sign of life.
    ///
    /// The framing may be much longer than the body: extensions, leading zeros, chunks of one byte
    /// (RFC 9112 §7.1).
    func didReceiveChunks(_ count: Int) {
        // Earlier pieces were delivered by now.
        let received = exchange.recorder.receivedBodyBytes
        let body =
            exchange.response.decoding?.codedBytes ?? exchange.recorder.deliveredBytes
        let isWatched =
            switch exchange.verdict {
            // libcurl may discard the body, which `mayDiscard` watches.
            case .challenge, .sendUnasked, nil: false
            case .accept, .refuse, .redirect, .proceed, .stored: true
            }
        if isWatched, ResponseFraming.isTooMuch(received - body, around: body) {
            if !exchange.hasFailed {
                exchange.fail(
                    ExchangeStage.badResponse(
                        "the chunked body is nearly all framing: "
                            + "\(received) bytes on the wire for \(body) bytes "
                            + "of content"
                    )
                )
            }
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
        try countPassedOver(max(received, exchange.recorder.receivedBodyBytes))
    }

    /// Counts the body of a response that another request follows.
    func countPassedOver(_ count: Int64) throws(TransferFailure) {
        guard count <= Self.passedOver else { throw excess(limit: Self.passedOver) }
    }

    /// The failure of an unwanted body: the failure of a proxy's question where no response is
    /// judged.
    private func excess(limit: Int64?) -> TransferFailure {
        let stage = exchange.recorder.stage
        guard exchange.verdict == nil else {
            return stage.excessBody(of: exchange.head?.statusCode, limit: limit)
        }
        return exchange.proxy.excessQuestion(at: stage, exchange.head, limit: limit)
    }
}
