internal import SystemKit
internal import TransferModel

extension AttemptRequest {
    /// How the conversation of a task begins; nil for a task of HTTP.
    static func makeConversation(
        _ webSocket: WebSocketSpec?,
        _ stream: StreamSpec?
    ) -> ConversationStart? {
        if let webSocket { return { WebSocketOpening(webSocket, of: $0, at: $1) } }
        guard let stream else { return nil }
        return { begin(stream, of: $0, at: $1) }
    }

    /// Begins the steps of a stream whose connection is open.
    private static func begin(
        _ stream: StreamSpec,
        of host: any ConversationHost,
        at now: MonotonicTime
    ) -> StreamConversation {
        var conversation = StreamConversation(
            stream,
            host.setting,
            requiresCloseNotify: host.requiresCloseNotify,
            at: now
        )
        do throws(SystemError) {
            try host.openFile()
        } catch {
            conversation.end(with: TransferFailure(error, phase: .receive), at: now)
        }
        return conversation
    }
}
