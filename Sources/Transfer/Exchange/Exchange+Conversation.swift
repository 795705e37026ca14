internal import CurlKit
internal import SystemKit
internal import TransferModel

// An exchange's facts and records for the conversation over its connection.
extension Exchange: UpgradeHost {
    var setting: ConversationSetting {
        ConversationSetting(clock: context.clock, idleLimit: request.timeoutInterval)
    }

    var stage: ExchangeStage { recorder.stage }
    var requiresCloseNotify: Bool { session.configuration.tls.closeNotify == .required }
    var hasFile: Bool { response.destination != nil }

    func beginSecurity() throws(TransferFailure) -> StreamSecurity {
        try StreamSecurity(to: hop.url.origin, of: session)
    }

    func openFile() throws(SystemError) {
        guard case .file(let destination) = request.sink else { return }
        try response.open(destination, for: request.key, context.files.claims)
    }

    func writeFile(_ bytes: Span<UInt8>) throws(SystemError) {
        _ = try response.sink.write(bytes)
    }

    var upgradeSpec: UpgradeSpec { UpgradeSpec(of: self) }

    func didSendUpgrade(_ head: Span<UInt8>, at now: MonotonicTime) {
        response.parser.switchesProtocols = true
        // The bytes after it do not come by libcurl's callbacks.
        sent.hearsTraffic = false
        recorder.didSendHead(head, asking: hop.url.webSocketText, at: now)
    }

    func readUpgrade(_ line: Span<UInt8>) -> UpgradeProgress {
        guard takeLine(line) else { return .other }
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
        _ = takePiece(bytes)
    }
}

// An exchange's facts and records for the conversation with its program.
extension Exchange: ProgramHost {
    func didMove(at now: MonotonicTime) { _ = move(at: now) }

    func readPiece(into buffer: inout [UInt8]) -> BodyRead {
        guard let reader = body.reader else { return .bytes(0) }
        if reader.isWaiting {
            // The turn may be the program's: a named pipe without a writer looks like one at its
            // end.
            guard reader.isReady else { return .paused }
            reader.wake()
        }
        return buffer.withRawSpan { produceBody(into: &$0) }
    }

    func didSendPiece(count: Int, at now: MonotonicTime) {
        _ = move(bytes: count, at: now)
        recorder.didTransfer(.bodySent, count: count, at: now)
    }

    func takeHead(_ head: ResponseHead, length: Int64?, at now: MonotonicTime) -> Bool {
        response.head = head
        response.programFraming = ProgramFraming(length: length)
        recorder.didReceiveHead(count: 0, isFinal: true, at: now)
        recorder.didReceive(head)
        return receive(head)
    }

    func take(_ bytes: Span<UInt8>, at now: MonotonicTime) -> Bool {
        _ = move(bytes: bytes.count, at: now)
        recorder.didTransfer(.bodyReceived, count: bytes.count, at: now)
        return receive(bytes)
    }

    func didEndResponse() {
        response.isWhole = true
        response.programFraming?.isEnded = true
    }
}

extension StreamSecurity {
    /// Prepares the handshake with the origin of a stream, by the rules of its session.
    fileprivate convenience init(
        to origin: Origin,
        of session: SessionTransport
    ) throws(TransferFailure) {
        let secure = Origin(scheme: .https, host: origin.host, port: origin.port)
        let isBracketed = origin.host.utf8.first == UInt8(ascii: "[")
        try self.init(
            to: isBracketed ? String(origin.host.dropFirst().dropLast()) : origin.host,
            session.tlsOptions,
            certificate: session.clientCertificate(for: secure)
        )
    }
}

extension UpgradeSpec {
    /// The request that opens the WebSocket of an exchange.
    fileprivate init(of exchange: Exchange) {
        let authentication = exchange.policies.authentication
        request = authentication?.signed(exchange.hop) ?? exchange.hop
        lines = exchange.session.headerLines(
            for: request,
            cookies: exchange.sent.cookies,
            carriesBody: false,
            acceptsCodings: false,
            asksFirst: false
        )
        authorization = authentication?.fieldValue(for: request)
    }
}
