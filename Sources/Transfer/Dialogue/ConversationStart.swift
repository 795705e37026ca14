internal import TransferModel

/// How an attempt begins its conversation.
struct ConversationStart: Sendable {
    /// Whether the connection is for HTTP/1.1, which the TLS handshake then offers (ALPN).
    var isHTTP: Bool
    /// Makes the conversation when the connection is open, on the thread of its engine.
    var make: @Sendable (any ConversationHost, MonotonicTime) -> any Conversation
}

/// What the exchange of a conversation knows and records for it.
protocol ConversationHost: AnyObject {
    /// Turns readings into the dates of records.
    var clock: RunClock { get }
}
