internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Stands between libcurl and an exchange with a file server: its commands and replies are no heads
/// of HTTP, and FTP opens a second connection for the file.
final class FileTransferClient: EasyHandleClient {
    private let exchange: Exchange
    private let file: FileTransfer

    init(_ exchange: Exchange, _ file: FileTransfer) {
        self.exchange = exchange
        self.file = file
    }

    private var isBegun: Bool { exchange.recorder.hasBegunRequest }

    func didStartResolving() {
        if !isBegun { exchange.didStartResolving() }
    }

    func willOpenSocket(to peer: SocketAddress) -> SocketOptions? {
        guard isBegun else { return exchange.willOpenSocket(to: peer) }
        // The connection for the file: the same rules, and no part of connecting.
        let now = exchange.move()
        limitHandshake(at: now)
        return exchange.session.options(for: peer, &exchange.policies.path)
    }

    /// Limits the handshake that libcurl does without a return.
    private func limitHandshake(at now: MonotonicTime) {
        guard let patience = exchange.watch.patience(at: now) else { return }
        file.handshakeEnd = now + patience
        // Not before that time: two times are rounded.
        exchange.handle.limitHandshake(toMilliseconds: patience.microseconds / 1000 + 2)
    }

    func didBind(_ binding: SocketBinding) -> Bool { exchange.didBind(binding) }

    func willSendRequest(over connection: ConnectionFacts) -> Bool {
        exchange.willSendRequest(over: connection)
    }

    func didSendHead(_ bytes: Span<UInt8>) {
        exchange.policies.pace?.didSendUnasked(bytes.count)
        file.replies.didSend(bytes)
        // The handshake of the commands is over.
        if !isBegun {
            exchange.handle.limitHandshake(toMilliseconds: nil)
            file.handshakeEnd = nil
        }
        let now = exchange.move(bytes: bytes.count)
        // The login before is a part of connecting.
        if isBegun { exchange.recorder.didSendHead(bytes, asking: nil, at: now) }
    }

    func didTransfer(_ traffic: Traffic, count: Int) {
        // The bytes of files count when they are delivered.
        if traffic != .bodyReceived { exchange.didTransfer(traffic, count: count) }
    }

    func didReceiveHeader(_ line: Span<UInt8>) -> Bool {
        exchange.policies.pace?.didReceiveUnasked(line.count)
        let now = exchange.move(bytes: line.count)
        file.replies.didReceive(line)
        // The answer to `AUTH`, after which TLS begins (RFC 4217 §4).
        if file.replies.last?.code == 234, !isBegun { limitHandshake(at: now) }
        if file.replies.hasBadSize { exchange.fail(FileTransferFault.badSize(file.replies)) }
        if file.replies.isEndless { exchange.fail(FileTransferFault.endlessReply) }
        return mayContinue(!exchange.hasFailed)
    }

    func didReceiveBody(_ bytes: Span<UInt8>) -> BodyTake {
        if exchange.policies.pace?.mayTake(bytes.count, for: exchange) == false { return .paused }
        guard mayContinue(file.isJudged || file.judgeFacts(for: exchange)) else { return .failed }
        let now = exchange.move(bytes: bytes.count)
        exchange.recorder.didTransfer(.bodyReceived, count: bytes.count, at: now)
        return mayContinue(exchange.receive(bytes)) ? .taken : .failed
    }

    func didDropExcess() {}

    /// libcurl also asks while it waits, without a return, for the last reply of a server.
    func mayDiscard(received: Int64) -> Bool {
        if let failure = exchange.overdue(at: .now) { exchange.fail(failure) }
        return mayContinue(!exchange.hasFailed)
    }

    func readBody(into buffer: inout MutableRawSpan) -> BodyRead {
        guard let pace = exchange.policies.pace else { return read(into: &buffer) }
        return pace.read(into: &buffer, for: exchange) { read(into: &$0) }
    }

    private func read(into buffer: inout MutableRawSpan) -> BodyRead {
        if let count = file.readMemory(into: &buffer) { return .bytes(count) }
        let read = exchange.produceBody(into: &buffer)
        _ = mayContinue(read != .failed)
        return read
    }

    /// Resets the connections of a transfer that a callback ends, before libcurl knows.
    ///
    /// libcurl would tell the server that the transfer ends, and keep the thread until the reply.
    private func mayContinue(_ isWanted: Bool) -> Bool {
        if !isWanted { exchange.handle.resetFileTransfer() }
        return isWanted
    }

    func rewindBody() -> Bool {
        file.rewindMemory()
        return exchange.rewindBody()
    }
}
