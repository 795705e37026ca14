internal import TransferModel

extension AttemptRequest {
    /// How the conversation of a task begins; nil for a task of HTTP.
    static func makeConversation(
        _ webSocket: WebSocketSpec?,
        _ stream: StreamSpec?
    ) -> ConversationStart? {
        if let webSocket {
            return ConversationStart(isHTTP: true) {
                WebSocketDialogue(webSocket, of: $0, at: $1)
            }
        }
        return stream.map { stream in
            ConversationStart(isHTTP: false) { StreamDialogue(stream, of: $0, at: $1) }
        }
    }
}
