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
