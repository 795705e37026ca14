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

    /// The captures of all steps, in their order.
    package var captures: [Capture] {
        steps.flatMap { step -> [Capture] in
            if case .receive(let receiving) = step.action { receiving.captures } else { [] }
        }
    }
}
