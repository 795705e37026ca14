internal import CurlKit
internal import SystemKit
internal import TransferModel

extension Exchange: ConversationHost {
    var clock: RunClock { context.clock }
    var stage: ExchangeStage { recorder.stage }
    var hasFile: Bool { response.destination != nil }

    var upgrade: ConversationRequest {
        let request = sent.request(of: hop, nil, nil)
        return ConversationRequest(
            request: request,
            lines: session.headerLines(
                for: request,
                cookies: sent.cookies,
                carriesBody: false,
                acceptsCodings: false,
                asksFirst: false
            ),
            authorization: authentication?.easy?.fieldValue,
            idleLimit: self.request.timeoutInterval
        )
    }

    func didSendUpgrade(_ head: Span<UInt8>, at now: MonotonicTime) {
        response.parser.switchesProtocols = true
        recorder.didSendHead(head, asking: hop.url.webSocketText, at: now)
    }

    func readUpgrade(_ line: Span<UInt8>) -> UpgradeProgress {
        guard didReceiveHeader(line) else { return .other }
        guard let head else { return .reading }
        if case .accept? = verdict { return .accepted(head) }
        return .other
    }

    func refuseUpgrade(_ detail: String) {
        var failure = ExchangeStage.badResponse(detail)
        failure.isPermanent = true
        fail(failure)
    }

    func keepExcerpt(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty, head != nil, !response.parser.framing.isChunked else { return }
        _ = didReceiveBody(bytes)
    }

    func write(_ bytes: Span<UInt8>) throws(SystemError) { _ = try response.sink.write(bytes) }

    var idleLimit: Duration? { request.timeoutInterval }
    var requiresCloseNotify: Bool { session.configuration.tls.closeNotify == .required }

    func beginSecurity() throws(TransferFailure) -> StreamSecurity {
        let origin = hop.url.origin
        let secure = Origin(scheme: .https, host: origin.host, port: origin.port)
        let isBracketed = origin.host.utf8.first == UInt8(ascii: "[")
        return try StreamSecurity(
            to: isBracketed ? String(origin.host.dropFirst().dropLast()) : origin.host,
            session.tlsOptions,
            certificate: session.clientCertificate(for: secure)
        )
    }

    func openFile() throws(SystemError) {
        guard case .file(let destination) = request.sink else { return }
        response.destination = destination
        try response.sink.open(destination, expectedCount: nil)
    }
}
