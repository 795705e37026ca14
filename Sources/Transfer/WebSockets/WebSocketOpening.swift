internal import CurlKit
internal import SystemKit
internal import TransferModel
internal import WebSockets

/// The opening handshake of a WebSocket over a connection that is open; the conversation of the
/// task's steps follows it.
///
/// The exchange records and judges the request and the response as those of any exchange; from the
/// first byte after an accepted head on, `WebSocketConversation` decides.
struct WebSocketOpening: Conversation {
    private let spec: WebSocketSpec
    /// The owner of the running conversation.
    private unowned let host: any UpgradeHost
    private let setting: ConversationSetting
    private let upgrade: UpgradeRequest
    /// Whether the bytes of the request are not taken yet.
    private(set) var hasOutput = true
    private var lastActivity: MonotonicTime
    /// A line of the response head that has not ended.
    private var line: [UInt8] = []
    /// Whether the first line of the response has arrived.
    private var hasStatusLine = false
    /// Why no WebSocket opens.
    private(set) var failure: TransferFailure?
    /// Whether the response is one like any other, and no WebSocket opens.
    private(set) var leavesResponse = false
    private(set) var successor: (any Conversation)?

    /// Prepares the request of an exchange whose connection is open.
    init(_ spec: WebSocketSpec, of host: any UpgradeHost, at now: MonotonicTime) {
        self.spec = spec
        self.host = host
        setting = host.setting
        lastActivity = now
        upgrade = UpgradeRequest(host.upgradeSpec, subprotocols: spec.subprotocols)
        host.didSendUpgrade(upgrade.head.span, at: now)
    }

    var wantsInput: Bool { !isOver }
    var isOver: Bool { leavesResponse || failure != nil }
    var nextTime: MonotonicTime? { setting.idleLimit.map { lastActivity + $0.duration } }

    mutating func takeOutput() -> [UInt8] {
        hasOutput = false
        return upgrade.head
    }

    mutating func didWriteSome(at now: MonotonicTime) { lastActivity = now }
    mutating func didWrite(at now: MonotonicTime) { lastActivity = now }
    mutating func excuseSilence(at now: MonotonicTime) { lastActivity = now }

    /// Reads the response head, and the bytes after it.
    mutating func receive(_ bytes: Span<UInt8>, at now: MonotonicTime) {
        lastActivity = now
        for index in bytes.indices {
            line.append(bytes[index])
            guard bytes[index] == 10 else {
                guard line.count > ResponseHeadParser.maximumBytes else { continue }
                failure = ExchangeStage.badResponse("a line of the response head never ends")
                return
            }
            guard hasStatusLine || line.starts(with: "HTTP/".utf8) else {
                failure = ExchangeStage.badResponse("the server's first line is not HTTP")
                return
            }
            hasStatusLine = true
            let whole = line
            line = []
            let progress = host.readUpgrade(whole.span)
            if case .reading = progress { continue }
            let rest = bytes.extracting(droppingFirst: index + 1)
            guard case .accepted(let head) = progress, var next = open(head, at: now) else {
                leavesResponse = true
                return host.keepExcerpt(rest)
            }
            if !rest.isEmpty { next.receive(rest, at: now) }
            successor = next
            return
        }
    }

    /// Begins the conversation; nil when the response opens no WebSocket.
    private func open(_ head: ResponseHead, at now: MonotonicTime) -> WebSocketConversation? {
        do throws(HandshakeRefusal) {
            let subprotocol = try upgrade.check(head)
            return WebSocketConversation(
                spec,
                setting,
                subprotocol: subprotocol,
                writesLines: host.hasFile,
                at: now
            )
        } catch {
            host.refuseUpgrade(error.message)
            return nil
        }
    }

    mutating func receiveEnd(at now: MonotonicTime) { failure = host.stage.unansweredRequest }

    mutating func end(with failure: TransferFailure, at now: MonotonicTime) {
        if !isOver { self.failure = failure }
    }

    mutating func tick(at now: MonotonicTime) {
        guard let limit = setting.idleLimit, now >= lastActivity + limit.duration else { return }
        failure = host.stage.overrun("nothing moved within", limit)
    }

    // No steps have run.
    func complete(_ result: inout AttemptResult) {}
}
