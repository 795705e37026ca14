internal import CurlKit
internal import ProtocolPrograms
internal import SystemKit
internal import TransferModel

// Gives turns to the conversation over a connection that is only opened, or with a program that
// takes the place of libcurl.
extension Attempt {
    /// Begins the conversation over the connection that libcurl has opened.
    func beginConversation() -> Next {
        guard let start = exchange.request.conversationStart,
            let connection = RawConnection(of: exchange.handle, key: exchange.request.key)
        else {
            exchange.session.multi.remove(exchange.handle)
            return abort(exchange.recorder.stage.lostConnection)
        }
        exchange.watch.keepOnlyDeadline()
        exchange.kind = .conversation(running(start(exchange, .now), over: connection))
        return converse()
    }

    private func running(
        _ conversation: any Conversation,
        over channel: any ConversationChannel
    ) -> RunningConversation {
        RunningConversation(
            conversation,
            of: exchange,
            over: channel,
            inShortTurns: exchange.policies.pace != nil
        )
    }

    /// Gives the conversation a turn.
    func converse() -> Next {
        guard let conversation = exchange.conversation else { return finish() }
        let turn = conversation.turn(at: .now)
        guard case .isOver = turn else { return .turned(turn) }
        // This closes the connection.
        exchange.session.multi.remove(exchange.handle)
        return conversation.leavesResponse ? endOpening() : end(conversation)
    }

    /// Ends the attempt with the result of its conversation, whose handle has been taken out of its
    /// multi handle.
    func end(_ conversation: RunningConversation) -> Next {
        if case .program = exchange.kind { return endProgram(conversation) }
        if let failure = conversation.failure, !exchange.hasFailed {
            exchange.fail(certificateFailure(behind: failure) ?? failure)
        }
        exchange.recorder.end(
            isComplete: exchange.head != nil,
            protocolName: exchange.head == nil ? nil : "http/1.1",
            curlCode: exchange.failure?.curlCode,
            osErrno: exchange.failure?.osErrno
        )
        return finish()
    }

    /// The failure when the server has not accepted the client's certificate, which a TLS 1.3
    /// server reports only after the handshake; nil for other reasons.
    private func certificateFailure(behind failure: TransferFailure) -> TransferFailure? {
        guard exchange.handle.wasShutOut, [.reset, .truncated].contains(failure.kind) else {
            return nil
        }
        return EndJudge(CurlCode(rawValue: failure.curlCode ?? 56), of: exchange).failure
    }

    /// Continues after the response to an opening handshake that opened no WebSocket: redirects,
    /// challenges and refusals are those of any exchange.
    private func endOpening() -> Next {
        exchange.kind = .http
        // The rest of the response stays unread.
        exchange.response.isCutOff = true
        return end(CurlCode(rawValue: 23))
    }
}

// MARK: - Programs

extension Attempt {
    /// Starts the program for the hop's request, and the conversation with it.
    func beginProgram(in roster: RunningPrograms) -> Next {
        perform { () throws(TransferFailure) in
            do throws(TransferFailure) {
                try openProgram(in: roster)
            } catch {
                exchange.recorder.end(isComplete: false, protocolName: nil)
                throw error
            }
            return converse()
        }
    }

    private func openProgram(in roster: RunningPrograms) throws(TransferFailure) {
        let hop = exchange.hop
        let scheme = hop.url.schemeName
        let programs = exchange.session.configuration.protocolPrograms
        guard let program = programs.first(where: { $0.scheme == scheme }) else {
            let detail = "no program of the session serves the scheme `\(scheme)`"
            throw ExchangeStage.unsent(.connect, .unsupportedURL, detail)
        }
        let channel: ProgramChannel
        do throws(SystemError) {
            try exchange.body.openMemory(exchange.request.body)
            channel = try roster.start(program, key: exchange.request.key)
        } catch {
            var failure = TransferFailure(reading: error, phase: .prepare)
            failure.isKnownUnprocessed = !exchange.recorder.hasSentAnything
            throw failure
        }
        let now = MonotonicTime.now
        let size = exchange.body.reader?.size
        exchange.recorder.willSendBody(exchange.body.isCarried ? .pieces(total: size) : .none)
        exchange.recorder.willAskProgram(hop.headers, at: now)
        exchange.watch.didBegin(at: now)
        let conversation = ProgramConversation(
            hop,
            exchange.body.isCarried ? .length(size) : .none,
            name: program.command.first ?? scheme,
            of: exchange
        ) { [unowned channel] in channel.ending }
        exchange.kind = .program(running(conversation, over: channel))
    }

    /// Continues after the conversation with a program.
    private func endProgram(_ conversation: RunningConversation) -> Next {
        if let failure = conversation.failure, !exchange.hasFailed { exchange.fail(failure) }
        if !exchange.hasFailed, let fault = faultOfProgramEnd { exchange.fail(fault) }
        conversation.close()
        exchange.kind = .http
        exchange.recorder.end(isComplete: exchange.response.isWhole, protocolName: nil)
        return perform { () throws(TransferFailure) in try take(exchange.machine.step) }
    }

    /// The failure of an accepted response that was not read to its end; nil for none, and where
    /// the file stays as it is.
    private var faultOfProgramEnd: TransferFailure? {
        guard case .accept? = exchange.verdict, !exchange.response.isWhole,
            !exchange.response.isUnchanged
        else { return nil }
        return ExchangeStage.truncated("the response of the program was not read to its end")
    }
}
