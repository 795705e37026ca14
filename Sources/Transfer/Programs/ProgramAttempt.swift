internal import CurlKit
internal import ProtocolPrograms
internal import SystemKit
internal import TransferModel

/// The steps of an attempt whose URL a program serves, which takes the place of libcurl.
///
/// A value without state of its own: the exchange has the dialogue with the program.
struct ProgramAttempt {
    let attempt: Attempt

    private var exchange: Exchange { attempt.exchange }

    /// Starts the program for the hop's request, and the conversation with it.
    func begin(in roster: ProgramRoster) -> Attempt.Next {
        attempt.perform { () throws(TransferFailure) in
            do throws(TransferFailure) {
                try open(in: roster)
            } catch {
                exchange.recorder.end(isComplete: false, protocolName: nil)
                throw error
            }
            return DialogueAttempt(attempt: attempt).converse()
        }
    }

    private func open(in roster: ProgramRoster) throws(TransferFailure) {
        let hop = exchange.hop
        let scheme = hop.url.schemeName
        let programs = exchange.session.configuration.protocolPrograms
        guard let program = programs.first(where: { $0.scheme == scheme }) else {
            throw unsupported(scheme)
        }
        let name = program.command.first ?? scheme
        let channel: ProgramChannel
        do throws(SystemError) {
            try openBodyInMemory()
            channel = try roster.start(program, key: exchange.request.key)
        } catch {
            var failure = TransferFailure(reading: error, phase: .prepare)
            failure.isKnownUnprocessed = !exchange.recorder.hasSentAnything
            throw failure
        }
        let now = MonotonicTime.now
        let size = exchange.body?.size
        exchange.recorder.willSendBody(exchange.carriesBody ? .pieces(total: size) : .none)
        exchange.recorder.willAskProgram(hop.headers, at: now)
        exchange.watch.didBegin(at: now)
        let host = ExchangeProgramHost(exchange)
        let conversation = ProgramDialogue(
            hop,
            exchange.carriesBody ? .length(size) : .none,
            name: name,
            of: host
        ) { [unowned channel] in channel.ending }
        exchange.dialogue = Dialogue(
            conversation,
            with: host,
            over: channel,
            inShortTurns: exchange.isPaced
        )
    }

    /// Gives a body that is in memory to the same reader as others.
    private func openBodyInMemory() throws(SystemError) {
        guard exchange.carriesBody, exchange.body == nil else { return }
        switch exchange.request.body {
        case .bytes(let bytes), .compressed(let bytes, _):
            exchange.body = try SegmentedBody([.bytes(bytes)])
        default: break
        }
    }

    private func unsupported(_ scheme: String) -> TransferFailure {
        var failure = TransferFailure(
            kind: .connect,
            phase: .prepare,
            detail: "no program of the session serves the scheme `\(scheme)`"
        )
        failure.urlError = .unsupportedURL
        failure.isPermanent = true
        failure.isKnownUnprocessed = true
        return failure
    }

    /// The failure of an accepted response that was not read to its end; nil for none, and where
    /// the file stays as it is.
    private var faultOfEnd: TransferFailure? {
        guard case .accept? = exchange.verdict, !exchange.response.isWhole,
            !exchange.response.isUnchanged
        else { return nil }
        return ExchangeStage.truncated("the response of the program was not read to its end")
    }

    /// Continues after the conversation.
    func end(_ dialogue: Dialogue) -> Attempt.Next {
        if let failure = dialogue.failure, !exchange.hasFailed { exchange.fail(failure) }
        if !exchange.hasFailed, let fault = faultOfEnd { exchange.fail(fault) }
        dialogue.close()
        exchange.dialogue = nil
        exchange.recorder.end(isComplete: exchange.response.isWhole, protocolName: nil)
        return attempt.perform { () throws(TransferFailure) in
            try attempt.take(attempt.machine.step)
        }
    }
}
