/// The conversation of a WebSocket task: the job file's settings beside the request.
///
/// A class, because it is immutable and passed on often.
package final class WebSocketSpec: Sendable {
    /// The subprotocols that the opening handshake offers, preferred ones first.
    package let subprotocols: [String]
    /// The most bytes of a received message, as `URLSessionWebSocketTask.maximumMessageSize`.
    package let maximumMessageSize: Int
    /// The steps of the task, one after the other; the last step is a `close`.
    package let steps: [WebSocketStep]

    /// The largest received message of a task that sets no limit, bytes: URLSession's default.
    package static let usualMessageSize = 1 << 20

    /// Creates a conversation; a `close` must be the last step and no other one.
    package init(
        subprotocols: [String] = [],
        maximumMessageSize: Int = usualMessageSize,
        steps: [WebSocketStep]
    ) {
        self.subprotocols = subprotocols
        self.maximumMessageSize = maximumMessageSize
        self.steps = steps
    }

    /// The requirements for the response to the opening handshake (RFC 6455 §4.2.2); the steps have
    /// the requirements for messages.
    package var expectation: Expectation {
        var expectation = Expectation()
        expectation.statusCodes = [101...101]
        return expectation
    }
}

extension TransactionMetrics.SentRequest {
    /// The same request with the scheme of the job file in place of HTTP's.
    package var overWebSocket: Self {
        Self(method: method, url: HTTPURL.webSocketText(of: url), headers: headers)
    }
}

extension HTTPURL {
    /// The URL of an opening handshake with the scheme that the job file has: ws for http, wss for
    /// https (RFC 6455 §3).
    package var webSocketText: String { Self.webSocketText(of: text) }

    fileprivate static func webSocketText(of text: String) -> String {
        guard text.utf8.starts(with: "http".utf8) else { return text }
        return "ws" + (String(text.utf8.dropFirst(4)) ?? "")
    }
}
