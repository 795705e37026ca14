internal import SystemKit
internal import TransferModel

/// How an attempt begins its conversation.
struct ConversationStart: Sendable {
    /// Whether the connection is for HTTP/1.1, which the TLS handshake then offers (ALPN).
    var isHTTP: Bool
    /// Makes the conversation when the connection is open, on the thread of its engine.
    var make: @Sendable (any ConversationHost, MonotonicTime) -> any Conversation
}

/// The exchange's facts and records for its conversation.
protocol ConversationHost: AnyObject {
    /// Turns readings into the dates of records.
    var clock: RunClock { get }
    /// The request of a conversation that begins with HTTP, before it is sent.
    var upgrade: ConversationRequest { get }
    /// Notes that the request of an upgrade is sent, with its head.
    func didSendUpgrade(_ head: Span<UInt8>, at now: MonotonicTime)
    /// Reads a line of the response to it.
    func readUpgrade(_ line: Span<UInt8>) -> UpgradeProgress
    /// Notes that the accepted response breaks a rule of the protocol to switch to.
    func refuseUpgrade(_ detail: String)
    /// Keeps the beginning of the body of a response that switches to no other protocol.
    func keepExcerpt(_ bytes: Span<UInt8>)
    /// How far the exchange has come, for the failure that ends it.
    var stage: ExchangeStage { get }
    /// Whether the task has a file for the bytes of `write`.
    var hasFile: Bool { get }
    /// Adds bytes to the task's file.
    func write(_ bytes: Span<UInt8>) throws(SystemError)
    /// The longest silence of the task; nil for no limit.
    var idleLimit: Duration? { get }
    /// Whether TLS must announce its end (close_notify).
    var requiresCloseNotify: Bool { get }

    /// Prepares TLS over the open connection, by the rules of the session.
    func beginSecurity() throws(TransferFailure) -> StreamSecurity
    /// Prepares for the file of the task, if it has one.
    func openFile() throws(SystemError)
}
