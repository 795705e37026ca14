internal import CurlKit
internal import SystemKit
internal import TransferModel

/// An exchange's facts and records for the conversation over its connection.
///
/// The dialogue of the exchange owns it.
final class ExchangeConversationHost: ConversationHost {
    private unowned let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }

    var clock: RunClock { exchange.context.clock }
    var stage: ExchangeStage { exchange.recorder.stage }
    var hasFile: Bool { exchange.response.destination != nil }

    var upgrade: ConversationRequest {
        let request = exchange.sent.request(of: exchange.hop, nil, nil)
        return ConversationRequest(
            request: request,
            lines: exchange.session.headerLines(
                for: request,
                cookies: exchange.sent.cookies,
                carriesBody: false,
                acceptsCodings: false,
                asksFirst: false
            ),
            authorization: exchange.authentication?.fieldValue(for: request),
            idleLimit: idleLimit
        )
    }

    func didSendUpgrade(_ head: Span<UInt8>, at now: MonotonicTime) {
        exchange.response.parser.switchesProtocols = true
        // The bytes behind it do not come by libcurl's callbacks.
        exchange.sent.hearsTraffic = false
        exchange.recorder.didSendHead(head, asking: exchange.hop.url.webSocketText, at: now)
    }

    func readUpgrade(_ line: Span<UInt8>) -> UpgradeProgress {
        guard exchange.didReceiveHeader(line) else { return .other }
        guard let head = exchange.head else { return .reading }
        if case .accept? = exchange.verdict { return .accepted(head) }
        return .other
    }

    func refuseUpgrade(_ detail: String) {
        var failure = ExchangeStage.badResponse(detail)
        failure.isPermanent = true
        exchange.fail(failure)
    }

    func keepExcerpt(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty, exchange.head != nil, !exchange.response.parser.framing.isChunked
        else { return }
        _ = exchange.didReceiveBody(bytes)
    }

    func write(_ bytes: Span<UInt8>) throws(SystemError) {
        _ = try exchange.response.sink.write(bytes)
    }

    var idleLimit: Duration? { exchange.request.timeoutInterval }
    var requiresCloseNotify: Bool {
        exchange.session.configuration.tls.closeNotify == .required
    }

    func beginSecurity() throws(TransferFailure) -> StreamSecurity {
        let origin = exchange.hop.url.origin
        let secure = Origin(scheme: .https, host: origin.host, port: origin.port)
        let isBracketed = origin.host.utf8.first == UInt8(ascii: "[")
        return try StreamSecurity(
            to: isBracketed ? String(origin.host.dropFirst().dropLast()) : origin.host,
            exchange.session.tlsOptions,
            certificate: exchange.session.clientCertificate(for: secure)
        )
    }

    func openFile() throws(SystemError) {
        guard case .file(let destination) = exchange.request.sink else { return }
        if destination.isNamedByPeer,
            let owner = try exchange.context.claims?.claim(destination, for: exchange.request.key)
        {
            let path = destination.displayPath
            throw .notPermitted("write", path, reason: "it belongs to \(owner)")
        }
        exchange.response.destination = destination
        try exchange.response.sink.open(destination, expectedCount: nil)
    }
}
