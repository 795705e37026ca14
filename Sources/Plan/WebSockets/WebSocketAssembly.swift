internal import TransferModel

/// Makes the conversation of a WebSocket task from its settings.
enum WebSocketAssembly {
    /// The conversation of a draft without faults; a task without a `close` ends with one.
    static func spec(of draft: TaskDraft) -> WebSocketSpec {
        var steps = draft.webSocket.steps.compactMap(step)
        if case .close? = steps.last?.action {
        } else {
            steps.append(WebSocketStep(.close(ClosingRule(isImplied: true))))
        }
        return WebSocketSpec(
            subprotocols: draft.webSocket.subprotocols,
            maximumMessageSize: draft.webSocket.maximumMessageSize,
            steps: steps
        )
    }

    /// The expectation of a task whose steps have expectations of their own: the captures of all
    /// steps, which other tasks use.
    static func expectation(of draft: TaskDraft) -> Expectation {
        var expectation = Expectation()
        expectation.captures = draft.expectation.captures
        return expectation
    }

    private static func step(_ draft: WebSocketStepDraft) -> WebSocketStep? {
        switch draft.action {
        case .send(let send):
            guard var message = send.message else { return nil }
            message.type = send.type ?? message.type
            return WebSocketStep(.send(message, count: send.count), timeout: draft.timeout)
        case .receive(let receiving):
            return WebSocketStep(.receive(receiving), timeout: draft.timeout)
        case .ping(let payload): return WebSocketStep(.ping(payload), timeout: draft.timeout)
        case .close(let rule): return WebSocketStep(.close(rule), timeout: draft.timeout)
        case nil: return nil
        }
    }
}

extension WebSocketDraft {
    /// The absolute paths of the files that steps send.
    var files: [String] {
        steps.compactMap { step in
            guard case .send(let send)? = step.action,
                case .file(let path)? = send.message?.content
            else { return nil }
            return path
        }
    }
}
