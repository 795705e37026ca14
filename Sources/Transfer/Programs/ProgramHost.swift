internal import CurlKit
internal import SystemKit
internal import TransferModel

/// How a program frames the body of its response.
struct ProgramFraming {
    /// The announced length; nil when the program does not know it.
    var length: Int64?
    /// Whether the program has said that the body is whole.
    var isEnded = false
}

/// The exchange's facts and records for its program.
protocol ProgramHost: AnyObject {
    /// How far the exchange has come, for the failure that ends it.
    var stage: ExchangeStage { get }
    /// Notes that the exchange goes on, which ends its silence.
    func didMove(at now: MonotonicTime)
    /// The next piece of the request's body; 0 bytes mean its end.
    func readPiece(into buffer: inout [UInt8]) -> BodyRead
    /// Notes that bytes of the request's body have left.
    func didSend(count: Int, at now: MonotonicTime)
    /// Judges the head of the response; false when its body is not wanted.
    func judge(_ head: ResponseHead, length: Int64?, at now: MonotonicTime) -> Bool
    /// Takes bytes of the response's body; false when no more of it is wanted.
    func take(_ bytes: Span<UInt8>, at now: MonotonicTime) -> Bool
    /// Notes that the response is whole.
    func didEnd()
}

/// An exchange's facts and records for the conversation with its program.
///
/// The dialogue of the exchange owns it.
final class ExchangeProgramHost: ProgramHost {
    private unowned let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }

    var stage: ExchangeStage { exchange.recorder.stage }

    func didMove(at now: MonotonicTime) { _ = exchange.move(at: now) }

    func readPiece(into buffer: inout [UInt8]) -> BodyRead {
        guard let body = exchange.body else { return .bytes(0) }
        if body.isWaiting {
            // The turn may be the program's: a named pipe without a writer looks like one at its
            // end.
            guard body.isReady else { return .paused }
            body.wake()
        }
        return buffer.withRawSpan { exchange.readBody(into: &$0) }
    }

    func didSend(count: Int, at now: MonotonicTime) {
        _ = exchange.move(bytes: count, at: now)
        exchange.recorder.didTransfer(.bodySent, count: count, at: now)
    }

    func judge(_ head: ResponseHead, length: Int64?, at now: MonotonicTime) -> Bool {
        exchange.response.head = head
        exchange.response.programFraming = ProgramFraming(length: length)
        exchange.recorder.didReceiveHead(count: 0, isFinal: true, at: now)
        exchange.recorder.didReceive(head)
        return exchange.receive(head)
    }

    func take(_ bytes: Span<UInt8>, at now: MonotonicTime) -> Bool {
        _ = exchange.move(bytes: bytes.count, at: now)
        exchange.recorder.didTransfer(.bodyReceived, count: bytes.count, at: now)
        return exchange.receive(bytes)
    }

    func didEnd() {
        exchange.response.isWhole = true
        exchange.response.programFraming?.isEnded = true
    }
}
