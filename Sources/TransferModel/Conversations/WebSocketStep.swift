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
        Self(method: method, url: TransferURL.webSocketText(of: url), headers: headers)
    }
}

extension TransferURL {
    /// The URL of an opening handshake with the scheme that the job file has: ws for http, wss for
    /// https (RFC 6455 §3).
    package var webSocketText: String { Self.webSocketText(of: text) }

    fileprivate static func webSocketText(of text: String) -> String {
        guard text.utf8.starts(with: "http".utf8) else { return text }
        return "ws" + (String(text.utf8.dropFirst(4)) ?? "")
    }
}

/// One step of a WebSocket conversation.
package struct WebSocketStep: ConversationStep, Hashable {
    /// The action of a step.
    package enum Action: Sendable, Hashable {
        /// Sends a message so many times, at least once.
        case send(OutgoingMessage, count: Int)
        /// Takes messages of the server.
        case receive(Receiving)
        /// Sends a ping with a payload of at most 125 bytes, and awaits its pong.
        case ping([UInt8])
        /// Closes the connection with the handshake of RFC 6455 §7.
        case close(ClosingRule)
    }

    /// The names of the steps in job files and reports.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case send
        case receive
        case ping
        case close
    }

    /// The action of the step.
    package var action: Action
    /// The longest duration of the step, 10 s for a `close` without one; nil for no limit but those
    /// of the task.
    package let timeout: Duration?

    private static let closeTimeout = Duration.seconds(10)

    /// Creates a step.
    package init(_ action: Action, timeout: Duration? = nil) {
        self.action = action
        let isClose = if case .close = action { true } else { false }
        self.timeout = timeout ?? (isClose ? Self.closeTimeout : nil)
    }

    /// The name of the step's key, also in reports.
    package var name: Name {
        switch action {
        case .send: .send
        case .receive: .receive
        case .ping: .ping
        case .close: .close
        }
    }

    /// How long a step that receives for a time lasts; nil for another step.
    package var duration: Duration? {
        guard case .receive(let receiving) = action, case .time(let time) = receiving.end else {
            return nil
        }
        return time
    }
}

/// The form of a message's bytes (RFC 6455 §5.6).
package enum MessageType: String, Sendable, Hashable, CaseIterable {
    /// UTF-8.
    case text
    /// Any bytes.
    case binary
}

/// A message that a step sends.
package struct OutgoingMessage: Sendable, Hashable {
    /// The form of the message.
    package var type: MessageType
    /// The bytes of the message, or the file that has them.
    package var content: StepContent

    /// Creates a message; the bytes of a text are UTF-8.
    package init(_ type: MessageType, _ content: StepContent) {
        self.type = type
        self.content = content
    }
}

/// How a `receive` step takes messages.
package struct Receiving: Sendable, Hashable {
    /// The end of the step.
    package enum End: Sendable, Hashable {
        /// After so many messages, at least one.
        case count(Int)
        /// After the first message that meets the expectation.
        case match(MessageExpectation)
        /// When the server closes the connection.
        case closed
        /// After this time, however many messages have arrived.
        case time(Duration)
    }

    /// The end of the step.
    package var end: End
    /// The requirements for each message of the step; those of a step that awaits a match concern
    /// the matching message alone.
    package var expectation: MessageExpectation
    /// The accepted close codes of a step that awaits the end; empty for the usual ones.
    package var closeCodes: [UInt16]
    /// The values that later tasks use, from the last message of the step.
    package var captures: [Capture]

    /// Creates a step that takes messages.
    package init(
        until end: End = .count(1),
        expecting expectation: MessageExpectation = MessageExpectation(),
        closeCodes: [UInt16] = [],
        captures: [Capture] = []
    ) {
        self.end = end
        self.expectation = expectation
        self.closeCodes = closeCodes
        self.captures = captures
    }
}

/// The requirements for a received message.
package struct MessageExpectation: Sendable, Hashable {
    /// The form of the message; nil for any.
    package var type: MessageType?
    /// The whole text; nil for any.
    package var text: String?
    /// A PCRE2 pattern that matches somewhere in the message; nil for none.
    package var pattern: String?
    /// The required values in a JSON message; empty to require JSON only, nil to accept any text.
    package var json: [Expectation.JSONValueAt]?

    /// Creates the expectation that every message meets.
    package init() {}

    /// Whether every message meets the expectation.
    package var isEmpty: Bool { self == MessageExpectation() }
}

/// How a step closes the connection.
package struct ClosingRule: Sendable, Hashable {
    /// The code of the Close frame; nil for a frame without payload.
    package var code: UInt16? = 1000
    /// The reason, at most 123 bytes; empty without a code.
    package var reason = ""
    /// The accepted codes of the server's Close frame; empty for the sent one and the usual ones.
    package var expectedCodes: [UInt16] = []
    /// Whether the job file has no such step: then the server's part of the handshake is not
    /// required.
    package var isImplied: Bool

    /// Creates a rule that closes with 1000.
    package init(isImplied: Bool = false) { self.isImplied = isImplied }

    /// The close codes of a server that has no fault to report: normal closure, going away, and no
    /// code at all (RFC 6455 §7.4.1).
    package static let usualCodes: [UInt16] = [1000, 1001, 1005]
}
