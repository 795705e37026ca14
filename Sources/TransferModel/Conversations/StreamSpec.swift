/// The conversation of a stream task: bytes over a TCP connection, step by step.
///
/// A class, because it is immutable and passed on often.
package final class StreamSpec: Sendable {
    /// Whether the connection has TLS from its beginning.
    package let isSecure: Bool
    /// The steps of the task, one after the other; at least one.
    package let steps: [StreamStep]

    /// The method in the records of stream tasks, which have no request.
    package static let method = "STREAM"

    /// The address of a stream with a URL of http or https.
    package static func address(_ url: String) -> String {
        for (scheme, name) in [("https:", "tls:"), ("http:", "tcp:")] {
            guard url.utf8.starts(with: scheme.utf8) else { continue }
            var address = name + (String(url.utf8.dropFirst(scheme.utf8.count)) ?? "")
            if address.utf8.last == UInt8(ascii: "/") { address.removeLast() }
            return address
        }
        return url
    }

    /// Creates a conversation.
    package init(isSecure: Bool, steps: [StreamStep]) {
        self.isSecure = isSecure
        self.steps = steps
    }
}

extension TransactionMetrics.SentRequest {
    /// The same record with the address of a stream: `tcp` for http, `tls` for https.
    package var overStream: Self {
        Self(method: method, url: StreamSpec.address(url), headers: headers)
    }
}
