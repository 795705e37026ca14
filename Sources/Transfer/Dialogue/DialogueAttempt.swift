internal import CurlKit
internal import TransferModel

/// The steps of an attempt whose connection is only opened, for the conversation over it.
///
/// A value without state of its own: the exchange has the dialogue.
struct DialogueAttempt {
    let attempt: Attempt

    private var exchange: Exchange { attempt.exchange }

    /// Begins the conversation over the connection that libcurl has opened.
    func begin() -> Attempt.Next {
        guard let start = exchange.request.conversation,
            let connection = RawConnection(of: exchange.handle, key: exchange.request.key)
        else {
            exchange.session.multi.remove(exchange.handle)
            return attempt.abort(exchange.recorder.stage.lostConnection)
        }
        exchange.watch.keepOnlyDeadline()
        let host = ExchangeConversationHost(exchange)
        exchange.dialogue = Dialogue(
            start.make(host, .now),
            with: host,
            over: connection,
            inShortTurns: exchange.isPaced
        )
        return converse()
    }

    /// Gives the conversation a turn.
    func converse() -> Attempt.Next {
        guard let dialogue = exchange.dialogue else { return attempt.finish() }
        let turn = dialogue.turn(at: .now)
        guard case .isOver = turn else { return .turned(turn) }
        // This closes the connection.
        exchange.session.multi.remove(exchange.handle)
        return dialogue.leavesResponse ? endHandshake() : end(dialogue)
    }

    /// Ends the attempt with the result of its conversation, whose handle has been taken out of its
    /// multi handle.
    func end(_ dialogue: Dialogue) -> Attempt.Next {
        if exchange.hop.url.isCustom { return ProgramAttempt(attempt: attempt).end(dialogue) }
        if let failure = dialogue.failure, !exchange.hasFailed {
            exchange.fail(certificateFailure(behind: failure) ?? failure)
        }
        exchange.recorder.end(
            isComplete: exchange.head != nil,
            protocolName: exchange.head == nil ? nil : "http/1.1",
            curlCode: exchange.failure?.curlCode,
            osErrno: exchange.failure?.osErrno
        )
        return attempt.finish()
    }

    /// The failure at a server that has not accepted the client's part of the handshake, which a
    /// server of TLS 1.3 tells after it; nil for other reasons.
    private func certificateFailure(behind failure: TransferFailure) -> TransferFailure? {
        guard exchange.handle.wasShutOut, [.reset, .truncated].contains(failure.kind) else {
            return nil
        }
        let code = CurlCode(rawValue: failure.curlCode ?? 56)
        return EndedExchange(exchange: exchange, code: code).failure
    }

    /// Continues after the response to an opening handshake that opened no WebSocket: redirects,
    /// challenges and refusals are those of any exchange.
    private func endHandshake() -> Attempt.Next {
        exchange.dialogue = nil
        // The rest of the response stays unread.
        exchange.response.isCutOff = true
        return attempt.end(CurlCode(rawValue: 23))
    }
}
