internal import TransferModel
internal import WebSockets

/// The failures that the running step of a WebSocket conversation can end with.
struct ConversationFaults {
    /// The key of the step.
    let step: WebSocketStep.Name
    /// The messages that the step has sent or taken.
    let messageCount: Int
    /// Whether the messages of the server wait for a step.
    let isInboxFull: Bool
    /// The counts so far.
    let tally: ConversationTally

    private var phase: TransferFailure.Phase {
        switch step {
        case .send: .send
        case .receive: .receive
        case .ping: .wait
        case .close: .finish
        }
    }

    /// The step has taken too long.
    func timeout(_ detail: String) -> TransferFailure {
        var failure = TransferFailure(kind: .timeout, phase: phase, detail: detail)
        failure.urlError = .timedOut
        if isInboxFull {
            failure.help =
                "no step takes the messages of the server, so runner reads no more of them: add a "
                + "`receive` step before this one"
        }
        return failure
    }

    private func protocolFault(_ fault: WebSockets.ProtocolFault) -> TransferFailure {
        var kind = TransferFailure.Kind.protocolViolation
        var help: String?
        if case .messageTooLarge = fault {
            kind = .tooLarge
            help = "raise `maximumMessageSize`"
        }
        var failure = TransferFailure(kind: kind, phase: .receive, detail: fault.message)
        failure.urlError = help == nil ? .badServerResponse : .dataLengthExceedsMaximum
        failure.isPermanent = true
        failure.help = help
        return failure
    }

    /// The machine sends nothing.
    func refusal(_ refusal: SendRefusal) -> TransferFailure {
        switch refusal {
        case .isClosing, .hasEnded: return endOfConnection
        default:
            var failure = TransferFailure(
                kind: .content,
                phase: phase,
                detail: refusal.message
            )
            failure.isPermanent = true
            failure.urlError = .cannotDecodeRawData
            return failure
        }
    }

    /// A message is not as the step expects it.
    func unexpected(_ mismatch: ReceivedMessage.Mismatch) -> TransferFailure {
        var failure = TransferFailure(
            kind: .content,
            phase: .receive,
            detail: "message \(messageCount) is \(mismatch.actual) instead of "
                + mismatch.expected
        )
        failure.isPermanent = true
        failure.urlError = .badServerResponse
        return failure
    }

    /// The server has closed the connection or broken the protocol, or the connection was lost,
    /// before the step was done.
    var endOfConnection: TransferFailure {
        if let fault = tally.fault { return protocolFault(fault) }
        guard let closing = tally.closing else {
            var failure = TransferFailure(
                kind: .reset,
                phase: phase,
                detail: "the connection ended without a Close frame"
            )
            failure.urlError = .networkConnectionLost
            return failure
        }
        let code = (closing.code ?? .noStatusReceived).rawValue
        let reason = closing.reason.isEmpty ? "" : " (“\(TextExcerpt.of(closing.reason))”)"
        var failure = TransferFailure(
            kind: .truncated,
            phase: phase,
            detail: "the server closed the connection with \(code)\(reason)"
        )
        failure.urlError = .networkConnectionLost
        // RFC 6455 §7.4.1: the server has found a fault in the client's messages.
        failure.isPermanent = [1002, 1003, 1007, 1008, 1009, 1010].contains(code)
        return failure
    }
}
