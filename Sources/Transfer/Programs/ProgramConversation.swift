internal import CurlKit
internal import ProtocolPrograms
internal import SystemKit
internal import TransferModel

/// The exchange's facts and records for its program.
protocol ProgramHost: AnyObject {
    /// How far the exchange has come, for the failure that ends it.
    var stage: ExchangeStage { get }
    /// Notes that the exchange goes on, which ends its silence.
    func didMove(at now: MonotonicTime)
    /// The next piece of the request's body; 0 bytes mean its end.
    func readPiece(into buffer: inout [UInt8]) -> BodyRead
    /// Notes that bytes of the request's body have left.
    func didSendPiece(count: Int, at now: MonotonicTime)
    /// Judges the head of the response; false when its body is not wanted.
    func takeHead(_ head: ResponseHead, length: Int64?, at now: MonotonicTime) -> Bool
    /// Takes bytes of the response's body; false when no more of it is wanted.
    func take(_ bytes: Span<UInt8>, at now: MonotonicTime) -> Bool
    /// Notes that the response is whole.
    func didEndResponse()
}

/// The conversation with a program about one request.
///
/// It sends the request with its body, and hands on what the program answers. Memory is bounded: a
/// line of the program, and one piece of the body.
final class ProgramConversation: Conversation {
    /// How much of the request's body has left.
    private enum Sending {
        /// There is more to read.
        case body
        /// All of it was read, but its end has not left.
        case end
        case nothing
    }

    /// Owns this object.
    private unowned let host: any ProgramHost
    /// The program in messages.
    private let name: String
    private let hasNoBody: Bool
    /// How the program has ended, in words.
    private let ending: () -> String
    private var decoder = ProgramDecoder()
    private var sending: Sending
    private var output: [UInt8]
    /// The bytes of the request's body in the output, and in the output that was taken last.
    private var pieceCount = 0
    private var leavingCount = 0
    private var buffer: [UInt8] = []
    private(set) var failure: TransferFailure?
    private(set) var isOver = false

    private static let pieceSize = 64 << 10

    /// Begins with the request.
    ///
    /// - Parameters:
    ///   - request: The request of the hop.
    ///   - body: Whether it has a body.
    ///   - name: The name of the program, for messages.
    ///   - host: The exchange, which owns the conversation.
    ///   - ending: How the program has ended, in words, once its output has ended.
    init(
        _ request: RequestSpec,
        _ body: RunnerMessage.Body,
        name: String,
        of host: any ProgramHost,
        ending: @escaping () -> String
    ) {
        self.host = host
        self.name = name
        self.ending = ending
        hasNoBody = request.method == "HEAD"
        output = RunnerMessage.request(request, body)
        sending = body == .none ? .nothing : .body
    }

    // MARK: - Conversation

    var wantsInput: Bool { !isOver }
    var hasOutput: Bool { !output.isEmpty }
    var nextTime: MonotonicTime? { nil }
    /// A program that has sent its last message needs no other.
    var farewell: [UInt8] { decoder.isOver ? [] : RunnerMessage.cancel }

    func takeOutput() -> [UInt8] {
        defer { (output, pieceCount) = ([], 0) }
        leavingCount = pieceCount
        return output
    }

    func didWriteSome(at now: MonotonicTime) { host.didMove(at: now) }

    func didWrite(at now: MonotonicTime) {
        host.didMove(at: now)
        if leavingCount > 0 { host.didSendPiece(count: leavingCount, at: now) }
        leavingCount = 0
        if sending == .end, output.isEmpty { sending = .nothing }
    }

    func readBody(at now: MonotonicTime) {
        guard sending == .body, output.isEmpty else { return }
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.pieceSize) }
        switch host.readPiece(into: &buffer) {
        case .bytes(0):
            output = RunnerMessage.finish
            sending = .end
        case .bytes(let count):
            output = RunnerMessage.data(count: count) + buffer[..<count]
            pieceCount = count
        case .paused: break
        // The exchange knows why.
        case .failed: isOver = true
        }
    }

    func receive(_ bytes: Span<UInt8>, at now: MonotonicTime) {
        var position = 0
        do throws(ProgramFault) {
            while !isOver, let event = try decoder.next(in: bytes, from: &position) {
                // Bytes that are no whole message are no sign of life.
                host.didMove(at: now)
                take(event, bytes, at: now)
            }
        } catch {
            var failure = failure(
                .protocolViolation,
                .badServerResponse,
                "broke the protocol in message \(error.message): \(error.reason)"
            )
            failure.isPermanent = true
            fail(failure)
        }
    }

    func receiveEnd(at now: MonotonicTime) {
        guard !isOver else { return }
        let fault = decoder.isInBody ? "before the response was whole" : "without a response"
        fail(
            failure(
                decoder.isInBody ? .truncated : .reset,
                .networkConnectionLost,
                "\(ending()) \(fault)"
            )
        )
    }

    func end(with failure: TransferFailure, at now: MonotonicTime) {
        guard !isOver else { return }
        var failure = failure
        if failure.kind == .timeout {
            failure.detail = "the program `\(name)`: \(failure.detail)"
        }
        fail(failure)
    }

    func tick(at now: MonotonicTime) {}
    func complete(_ result: inout AttemptResult) {}

    // MARK: - Events

    private func take(_ event: ProgramDecoder.Event, _ bytes: Span<UInt8>, at now: MonotonicTime) {
        switch event {
        case .response(let response):
            let head = ResponseHead(
                statusCode: response.statusCode,
                fields: HeaderFields(response.headers)
            )
            isOver = !host.takeHead(head, length: response.expectedContentLength, at: now)
        case .redirect(let redirect):
            let others = redirect.headers.filter { !$0.isNamed("location") }
            let fields = HeaderFields(others + [HeaderField(name: "Location", value: redirect.url)])
            let head = ResponseHead(statusCode: redirect.statusCode, fields: fields)
            if host.takeHead(head, length: 0, at: now) { host.didEndResponse() }
            isOver = true
        case .data(let range):
            isOver = !host.take(bytes.extracting(range), at: now)
        case .finish: finish()
        case .fail(let report): fail(self.failure(of: report))
        }
    }

    private func finish() {
        if let missing = decoder.missingCount, missing > 0, !hasNoBody {
            return fail(
                failure(
                    .truncated,
                    .networkConnectionLost,
                    "finished the response \(missing) bytes before its announced end"
                )
            )
        }
        host.didEndResponse()
        isOver = true
    }

    private func fail(_ failure: TransferFailure) {
        self.failure = failure
        isOver = true
    }

    // MARK: - Failures

    private func failure(
        _ kind: TransferFailure.Kind,
        _ urlError: TransferFailure.URLErrorCode,
        _ what: String
    ) -> TransferFailure {
        let stage = host.stage
        var failure = TransferFailure(
            kind: kind,
            phase: stage.phase,
            detail: "the program `\(name)` \(what)",
            urlError: urlError
        )
        failure.isKnownUnprocessed = !stage.hasSentAnything
        return failure
    }

    /// The failure that the program reports.
    private func failure(of report: ProgramFailure) -> TransferFailure {
        let urlError: TransferFailure.URLErrorCode =
            switch report.kind {
            case .resolve: .cannotFindHost
            case .connect: .cannotConnectToHost
            case .tls: .secureConnectionFailed
            case .timeout, .stalled: .timedOut
            case .protocolViolation: .badServerResponse
            case .localIO: .resourceUnavailable
            default: .networkConnectionLost
            }
        let detail = report.detail.onOneLine(limit: 300).text
        var failure = failure(report.kind, urlError, "reported: \(detail)")
        failure.isPermanent = report.isPermanent || report.kind == .localIO
        // The program has reached no server.
        if [.resolve, .connect, .tls].contains(report.kind) { failure.isKnownUnprocessed = true }
        return failure
    }
}
