internal import CurlKit
internal import SystemKit
internal import TransferModel
internal import WebSockets

/// The bytes of a WebSocket task over its raw connection: the opening handshake, then the
/// conversation of its steps.
///
/// The exchange records and judges the request and the response as those of any exchange; from the
/// first byte behind an accepted head on, `WebSocketConversation` decides.
final class WebSocketDialogue: Conversation {
    /// Next states: `opening` → `open`, `isOver`.
    private enum Phase {
        case opening
        case open(WebSocketConversation)
    }

    private let spec: WebSocketSpec
    /// Owns this object.
    private unowned let host: any ConversationHost
    private let idleLimit: Duration?
    private let upgrade: UpgradeRequest
    private var phase = Phase.opening
    /// Whether the bytes of the request are not taken yet.
    private var hasRequest = true
    /// When bytes moved last, before the conversation.
    private var lastActivity: MonotonicTime
    /// A line of the response head that has not ended.
    private var line: [UInt8] = []
    /// Whether the first line of the response has arrived.
    private var hasStatusLine = false
    private var subprotocol: String?
    /// The file of the last message that was sent from one: a step may send it often.
    private var file: (path: String, content: InputFile)?
    /// Why no WebSocket opens, or why the task's file has not taken all messages.
    private var ownFailure: TransferFailure?
    /// Whether the response is one like any other, and no WebSocket opens.
    private(set) var leavesResponse = false

    /// Prepares the request of an exchange whose connection is open.
    init(_ spec: WebSocketSpec, of host: any ConversationHost, at now: MonotonicTime) {
        self.spec = spec
        self.host = host
        lastActivity = now
        let request = host.upgrade
        idleLimit = request.idleLimit
        let upgrade = UpgradeRequest(request, subprotocols: spec.subprotocols)
        self.upgrade = upgrade
        host.didSendUpgrade(upgrade.head.span, at: now)
    }

    // MARK: - Conversation

    var wantsInput: Bool {
        if case .open(let conversation) = phase { conversation.wantsInput } else { !isOver }
    }

    var hasOutput: Bool {
        if case .open(let conversation) = phase { conversation.hasOutput } else { hasRequest }
    }

    var nextTime: MonotonicTime? {
        if case .open(let conversation) = phase { return conversation.nextTime }
        return idleLimit.map { lastActivity + $0 }
    }

    var isOver: Bool {
        if case .open(let conversation) = phase { return conversation.isOver }
        return leavesResponse || ownFailure != nil
    }

    var failure: TransferFailure? {
        if case .open(let conversation) = phase, let failure = conversation.failure {
            return failure
        }
        return ownFailure
    }

    func takeOutput() -> [UInt8] {
        if case .open = phase { return change { $0.takeOutput() } ?? [] }
        hasRequest = false
        return upgrade.head
    }

    func didWriteSome(at now: MonotonicTime) {
        lastActivity = now
        change { $0.didWriteSome(at: now) }
    }

    func didWrite(at now: MonotonicTime) {
        lastActivity = now
        change { $0.didWrite(at: now) }
    }

    func receive(_ bytes: Span<UInt8>, at now: MonotonicTime) {
        lastActivity = now
        guard case .open = phase else { return read(bytes, at: now) }
        change { $0.receive(bytes, at: now) }
    }

    func receiveEnd(at now: MonotonicTime) {
        guard case .open = phase else {
            return ownFailure = host.stage.unansweredRequest
        }
        change { $0.receiveEnd(at: now) }
    }

    func end(with failure: TransferFailure, at now: MonotonicTime) {
        guard case .open = phase else {
            if !isOver { ownFailure = failure }
            return
        }
        // A connection that is lost has no more to say.
        change {
            $0.end(with: failure, at: now)
            $0.receiveEnd(at: now)
        }
    }

    func excuseSilence(at now: MonotonicTime) {
        lastActivity = now
        change { $0.excuseSilence(at: now) }
    }

    func tick(at now: MonotonicTime) {
        guard case .open = phase else {
            if let idleLimit, now >= lastActivity + idleLimit {
                ownFailure = host.stage.timeout(.idle, idleLimit: idleLimit, body: nil)
            }
            return
        }
        change { $0.tick(at: now) }
    }

    func complete(_ result: inout AttemptResult) {
        guard case .open(let conversation) = phase else { return }
        result.webSocket = conversation.record(subprotocol: subprotocol)
        result.countOfBytesSent = conversation.sent.bytes
        result.countOfBytesReceived = conversation.receivedBytes
        if result.failure == nil { result.captured = conversation.captured }
        if let failure = result.failure, failure.kind == .content {
            result.checks = [
                .init(.clientError, passed: true),
                .init(.statusCode, passed: true, expected: "101", actual: "101"),
                .init(.content, passed: false, actual: failure.detail),
            ]
        }
    }

    /// Changes the conversation in its place; nil before it has begun.
    @discardableResult
    private func change<Result>(_ body: (inout WebSocketConversation) -> Result) -> Result? {
        guard case .open(var conversation) = phase else { return nil }
        phase = .opening
        defer { phase = .open(conversation) }
        return body(&conversation)
    }

    // MARK: - Opening

    /// Reads the response head, and the bytes behind it.
    private func read(_ bytes: Span<UInt8>, at now: MonotonicTime) {
        for index in bytes.indices {
            line.append(bytes[index])
            guard bytes[index] == 10 else {
                guard line.count > ResponseHeadParser.maximumBytes else { continue }
                ownFailure = ExchangeStage.badResponse("a line of the response head never ends")
                return
            }
            guard hasStatusLine || line.starts(with: "HTTP/".utf8) else {
                ownFailure = ExchangeStage.badResponse("the server's first line is not HTTP")
                return
            }
            hasStatusLine = true
            let whole = line
            line = []
            let progress = host.readUpgrade(whole.span)
            if case .reading = progress { continue }
            let rest = bytes.extracting(droppingFirst: index + 1)
            guard case .accepted(let head) = progress, open(head, at: now) else {
                leavesResponse = true
                return host.keepExcerpt(rest)
            }
            if !rest.isEmpty { change { $0.receive(rest, at: now) } }
            return
        }
    }

    /// Begins the conversation; false when the response opens no WebSocket.
    private func open(_ head: ResponseHead, at now: MonotonicTime) -> Bool {
        do throws(HandshakeRefusal) {
            subprotocol = try upgrade.check(head)
        } catch {
            host.refuseUpgrade(error.message)
            return false
        }
        phase = .open(
            WebSocketConversation(
                spec,
                .init(
                    clock: host.clock,
                    idleLimit: idleLimit,
                    writesLines: host.hasFile
                ),
                at: now
            )
        )
        return true
    }

    // MARK: - Files

    func moveFiles(at now: MonotonicTime) throws(TransferFailure) {
        try sendFile(at: now)
        guard let lines = change({ $0.takeLines() }), !lines.isEmpty else { return }
        do throws(SystemError) {
            try host.write(lines.span)
        } catch {
            // Also when the steps are done: their file is not.
            let failure = TransferFailure(error, phase: .receive)
            ownFailure = failure
            change { $0.end(with: failure, at: now) }
        }
    }

    private var wantedFile: (path: String, offset: Int64)? {
        if case .open(let conversation) = phase { conversation.wantedFile } else { nil }
    }

    /// Reads the pieces of a file that a step sends.
    private func sendFile(at now: MonotonicTime) throws(TransferFailure) {
        while let wanted = wantedFile {
            do throws(TransferFailure) {
                let (piece, isLast) = try piece(of: wanted.path, at: wanted.offset)
                change { $0.send(piece: piece.span, isLast: isLast, at: now) }
            } catch {
                file = nil
                change { $0.end(with: error, at: now) }
            }
        }
    }

    private func piece(
        of path: String,
        at offset: Int64
    ) throws(TransferFailure) -> (bytes: [UInt8], isLast: Bool) {
        do throws(SystemError) {
            let content: InputFile
            if let file, file.path == path {
                content = file.content
            } else {
                content = try InputFile(path: path)
                file = (path, content)
            }
            let size = content.identity.size
            let count = max(0, min(Int64(WebSocketConversation.pieceLimit), size - offset))
            let bytes = count > 0 ? try content.read(at: offset, count: Int(count)) : []
            if bytes.count == count, content.isUnchanged { return (bytes, offset + count >= size) }
        } catch {
            throw TransferFailure(reading: error, phase: .send)
        }
        var failure = TransferFailure(
            kind: .localIO,
            phase: .send,
            detail: "\(path) has changed while it was sent"
        )
        failure.urlError = .requestBodyStreamExhausted
        failure.isPermanent = true
        throw failure
    }
}
