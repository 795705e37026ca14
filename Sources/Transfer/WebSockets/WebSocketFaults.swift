internal import TransferModel
internal import WebSockets

/// The failures that the running step of a WebSocket conversation can end with.
struct WebSocketFaults {
    /// The key of the step.
    let step: WebSocketStep.Name
    /// The messages that the step has sent or taken.
    let messageCount: Int
    /// Whether the messages of the server wait for a step.
    let isInboxFull: Bool
    /// The rule of the protocol that the server has broken; nil for none.
    let fault: WebSockets.ProtocolFault?
    /// The record so far.
    let tally: WebSocketRecord

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
        TransferFailure(
            kind: .timeout,
            phase: phase,
            detail: detail,
            urlError: .timedOut,
            help: helpAboutTime
        )
    }

    /// Nothing has moved for too long.
    func silence(_ limit: TimeLimit) -> TransferFailure {
        var failure = TransferFailure(phase: phase, "nothing moved within", limit)
        failure.help = helpAboutTime
        return failure
    }

    private var helpAboutTime: String? {
        guard isInboxFull else { return nil }
        return "no step takes the messages of the server, so runner reads no more of them: add a "
            + "`receive` step before this one"
    }

    private func protocolFault(_ fault: WebSockets.ProtocolFault) -> TransferFailure {
        let isTooLarge = if case .messageTooLarge = fault { true } else { false }
        return TransferFailure(
            kind: isTooLarge ? .tooLarge : .protocolViolation,
            phase: .receive,
            detail: fault.message,
            urlError: isTooLarge ? .dataLengthExceedsMaximum : .badServerResponse,
            isPermanent: true,
            help: isTooLarge ? "raise `maximumMessageSize`" : nil
        )
    }

    /// The machine sends nothing.
    func refusal(_ refusal: SendRefusal) -> TransferFailure {
        switch refusal {
        case .isClosing, .hasEnded: return endOfConnection
        default:
            return TransferFailure(
                kind: .content,
                phase: phase,
                detail: refusal.message,
                urlError: .cannotDecodeRawData,
                isPermanent: true
            )
        }
    }

    /// A message is not as the step expects it.
    func unexpected(_ mismatch: ReceivedMessage.Mismatch) -> TransferFailure {
        .ofContent("message \(messageCount) is \(mismatch.actual) instead of \(mismatch.expected)")
    }

    /// The server has closed the connection or broken the protocol, or the connection was lost,
    /// before the step was done.
    var endOfConnection: TransferFailure {
        if let fault { return protocolFault(fault) }
        guard tally.isClean, let code = tally.closeCode else {
            return TransferFailure(
                kind: .reset,
                phase: phase,
                detail: "the connection ended without a Close frame",
                urlError: .networkConnectionLost
            )
        }
        let reason = tally.closeReason
        let words = reason.isEmpty ? "" : " (“\(TextExcerpt.of(reason))”)"
        return TransferFailure(
            kind: .truncated,
            phase: phase,
            detail: "the server closed the connection with \(code)\(words)",
            urlError: .networkConnectionLost,
            // RFC 6455 §7.4.1: the server has found a fault in the client's messages.
            isPermanent: [1002, 1003, 1007, 1008, 1009, 1010].contains(code)
        )
    }
}
