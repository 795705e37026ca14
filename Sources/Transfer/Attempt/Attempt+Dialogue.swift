internal import CurlKit
internal import TransferModel

// Carries on the conversation of an attempt whose connection is only opened.
extension Attempt {
    /// The latest time for the next check.
    var nextCheck: MonotonicTime {
        let next = exchange.watch.nextCheck
        return exchange.dialogue?.nextTime.map { min(next, $0) } ?? next
    }

    /// Begins the conversation over the connection that libcurl has opened.
    func beginDialogue() -> Next {
        guard let start = exchange.request.conversation,
            let connection = RawConnection(of: exchange.handle, key: exchange.request.key)
        else {
            exchange.session.multi.remove(exchange.handle)
            return abort(exchange.recorder.stage.lostConnection)
        }
        exchange.watch.keepOnlyDeadline()
        exchange.dialogue = Dialogue(start.make(exchange, .now), over: connection)
        return converse()
    }

    /// Gives the conversation a turn.
    func converse() -> Next {
        guard let dialogue = exchange.dialogue else { return finish() }
        let turn = dialogue.turn(at: .now)
        guard case .isOver = turn else { return .turned(turn) }
        // This closes the connection.
        exchange.session.multi.remove(exchange.handle)
        return dialogue.leavesResponse ? endHandshake() : endDialogue(dialogue)
    }

    /// Ends the attempt with the result of its conversation, whose handle has been taken out of its
    /// multi handle.
    func endDialogue(_ dialogue: Dialogue) -> Next {
        if let failure = dialogue.failure, !exchange.hasFailed { exchange.fail(failure) }
        exchange.recorder.end(
            isComplete: exchange.head != nil,
            protocolName: exchange.head == nil ? nil : "http/1.1",
            curlCode: exchange.failure?.curlCode,
            osErrno: exchange.failure?.osErrno
        )
        return finish()
    }
}
