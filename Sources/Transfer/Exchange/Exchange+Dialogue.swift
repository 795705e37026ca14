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
}
