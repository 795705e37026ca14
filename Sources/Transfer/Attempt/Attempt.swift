internal import CurlKit
internal import SystemKit
internal import TransferModel

/// One running attempt: begins its exchanges one after the other, and makes the result.
///
/// A value without state of its own: `Exchange` has the state. The extensions carry out the steps
/// of `AttemptMachine`; a step that throws ends the attempt with that failure.
struct Attempt {
    /// The step after the end of an exchange.
    enum Next {
        case exchange(EasyRequest)
        /// The session's script is asked for the proxy of the hop's origin; `sendRouted` follows.
        case findProxy(Origin)
        /// A program is started for the hop's scheme; `beginProgram` follows.
        case program
        /// The rest of a stored body must be read when other attempts have had their turn.
        case read
        /// libcurl receives more, or the other requests for parts of the file go on.
        case receives
        /// libcurl cannot continue the exchange, which it has not ended.
        case breaksOff(CurlCode)
        /// The conversation continues when its connection or its time says so.
        case turned(RunningConversation.Turn)
        /// A request for a part of another attempt's file has ended.
        case leftSegment
        case finished(EndedAttempt)
        case publish(PublicationJob)
    }

    let exchange: Exchange

    /// The latest time for the next check.
    var nextCheck: MonotonicTime {
        let next = exchange.watch.nextCheck
        return exchange.conversation?.nextTime.map { min(next, $0) } ?? next
    }

    /// Begins the first exchange; a body that cannot be opened is a failure before anything is
    /// sent.
    func begin(_ sockets: SocketTable, _ errors: ErrorRelay) -> Next {
        if exchange.hop.url.isLocal { return beginLocal() }
        do throws(TransferFailure) {
            if let file = exchange.file { try file.prepare(for: exchange) }
            try openBody(sockets, errors)
            try exchange.body.beginHashing(for: exchange.hop.headers, exchange.request.body)
        } catch {
            return end(unsent: error)
        }
        return exchange.body.hashing == nil ? beginRequest() : .read
    }

    /// Reads a piece of the body for the digests in header fields, and leaves the rest to later
    /// turns.
    private func read(_ hashing: BodyHashing) -> Next {
        // The attempt waits for the disk only, so no idle time counts.
        exchange.watch.willBegin(at: .now)
        do throws(TransferFailure) {
            guard let texts = try hashing.readStep() else { return .read }
            exchange.body.hashing = nil
            exchange.hop.headers = exchange.hop.headers.map { $0.filled(with: texts) }
        } catch {
            return end(unsent: error)
        }
        return beginRequest()
    }

    /// Begins the first request, whose body is open.
    private func beginRequest() -> Next {
        do throws(TransferFailure) {
            // With a cache, once it is known that nothing stored answers.
            if exchange.policies.caching == nil { exchange.beginResuming() }
            if exchange.file == nil { try beginUpload(boundary: exchange.body.boundary) }
            exchange.beginHop(by: .start)
            try exchange.sign()
        } catch {
            return end(unsent: error)
        }
        exchange.chooseRoute()
        return perform { () throws(TransferFailure) in try ask() }
    }

    /// Opens the body.
    private func openBody(_ sockets: SocketTable, _ errors: ErrorRelay) throws(TransferFailure) {
        let form = OutgoingBody.form(for: exchange.request)
        if let form { exchange.hop.headers.append(form.contentType) }
        do throws(SystemError) {
            try exchange.body.open(for: exchange.request, as: form, sockets, errors)
        } catch {
            throw TransferFailure(reading: error, phase: .prepare)
        }
        if exchange.body.reader is StreamBody {
            exchange.session.multi.tellsOfDroppedSockets = true
        }
    }

    // MARK: - Steps

    /// Carries out steps; their failure ends the attempt.
    func perform(_ steps: () throws(TransferFailure) -> Next) -> Next {
        do throws(TransferFailure) {
            return try steps()
        } catch {
            exchange.fail(error)
            return finish()
        }
    }

    /// Carries out a step of the machine.
    func take(_ step: AttemptStep) throws(TransferFailure) -> Next {
        switch step {
        case .answerProxy:
            exchange.sent.answersChallenge = exchange.policies.proxy.answersNext
            return try repeatRequest(.authentication)
        case .again(let repetition):
            if repetition == .unasked { exchange.recorder.didGetRefusal() }
            return try repeatRequest(exchange.policies.prepare(repetition, &exchange.hop))
        case .didCancelUpload: return try didCancelUpload()
        case .follow: return try follow()
        case .answer(let answer): return try self.answer(answer)
        case .proceed: return try proceedWithUpload()
        case .finish, .endCaching: return finish()
        }
    }

    /// Continues after a response whose challenge can be answered.
    private func answer(_ answer: Authentication.Answer) throws(TransferFailure) -> Next {
        guard let head = exchange.head else { return finish() }
        var answer = answer
        if answer == .byLibrary {
            // libcurl did not continue.
            answer =
                exchange.policies.authentication?.giveUp(
                    Challenge.all(of: head),
                    from: exchange.hop.url,
                    didSend: exchange.recorder.hasSentAuthorization
                ) ?? .none
        }
        guard case .credential = answer else {
            throw try ResponseJudge(head, of: exchange).refusal()
        }
        exchange.policies.bodyHold.didAnswerChallenge()
        exchange.sent.answersChallenge = true
        exchange.recorder.didGetRefusal()
        return try repeatRequest(.authentication)
    }

    /// Begins another exchange with the hop's request.
    func repeatRequest(_ reason: TransactionMetrics.Reason) throws(TransferFailure) -> Next {
        exchange.forgetResponse()
        try exchange.body.rewind()
        exchange.policies.willRepeat()
        let now = MonotonicTime.now
        exchange.watch.willBegin(at: now)
        exchange.beginRecord(reason, at: now)
        exchange.chooseRoute()
        try exchange.sign()
        if reason == .redirect { exchange.policies.redirects.follow() }
        return try ask()
    }

    /// Sends the hop's request; ends the attempt when no interface may be used for it.
    func send() -> Next {
        if exchange.hop.url.isCustom { return .program }
        let origin = exchange.hop.url.origin
        if exchange.session.awaitsRoute(to: origin) { return .findProxy(origin) }
        if let fault = exchange.choosePath() { return end(unsent: fault) }
        return .exchange(EasyRequest(of: exchange))
    }

    /// Sends the hop's request, whose route is known now.
    func sendRouted() -> Next {
        exchange.chooseRoute()
        return send()
    }

    // MARK: - Turns

    /// Continues after other attempts have had their turn.
    func takeTurn() -> Next {
        if exchange.conversation != nil { return converse() }
        if let hashing = exchange.body.hashing { return read(hashing) }
        if isDecoding { return decodeOn() }
        if case .local(let local) = exchange.kind {
            return perform { () throws(TransferFailure) in try read(local) }
        }
        if isReading { return perform { () throws(TransferFailure) in try readStep() } }
        return exchange.policies.pace?.isWaiting == true ? .receives : resume()
    }

    /// Lets libcurl continue with a body that rests.
    func resume() -> Next {
        do throws(CurlCode) {
            try exchange.handle.resume()
            return .receives
        } catch {
            return .breaksOff(error)
        }
    }
}
