internal import CurlKit
internal import TransferModel

// Judges the end of an exchange, and of the attempt.
extension Attempt {
    /// Ends the exchange with libcurl's result.
    func end(_ code: CurlCode) -> Next {
        if !code.isOK, !exchange.hasFailed, exchange.isCut {
            exchange.fail(exchange.recorder.stage.flood)
        }
        if !exchange.hasFailed, exchange.policies.connection.takeRefusal() {
            // On a new connection; nothing of the exchange was sent.
            exchange.sent.answersChallenge = exchange.sent.hasAnsweredChallenge
            return send()
        }
        if let file = exchange.file { return end(file, code) }
        exchange.noteSent()
        let protocolName = exchange.versionName
        exchange.response.hasUnannouncedEnd = exchange.isUnannounced(code)
        let isEnd =
            code.isOK || exchange.response.isCutOff || exchange.response.hasUnannouncedEnd
        let isComplete = isEnd && exchange.head != nil
        exchange.response.isWhole =
            code.isOK && exchange.response.isDelimited(to: exchange.hop.method, over: protocolName)
        if isComplete, exchange.showsHTTP1 {
            exchange.session.noteOriginWithoutALPN(exchange.hop.url.origin)
        }
        var machine = machine
        machine.isAsked =
            !machine.hasFailed && exchange.policies.proxy.isAsked(isComplete: isComplete)
        machine.isGivenUp =
            !isComplete
            && (exchange.mayResend(after: code) || exchange.mayGoAnotherWay(after: code))
        machine.isUnvouched = exchange.response.isUnvouched
        if !machine.hasFailed, let fault = fault(behind: code, isComplete: isComplete, machine) {
            exchange.fail(fault)
            machine.hasFailed = true
        }
        if !isEnd { exchange.noteCutRefusal(after: code) }
        let isFault = !isEnd && !exchange.response.isUnchanged && !machine.isAsked
        exchange.noteFailedConnection()
        exchange.recorder.end(
            isComplete: isComplete && machine.repetition == nil && !machine.isUnvouched
                && (code.isOK || exchange.policies.part.segment == nil) && !exchange.hasLeftRest
                && exchange.failure?.kind != .truncated,
            protocolName: protocolName,
            curlCode: isFault ? code.rawValue : nil,
            osErrno: isFault ? exchange.osErrno(behind: code) : nil
        )
        machine.isCaching =
            exchange.policies.caching != nil && exchange.policies.part.segment == nil
        let step = machine.step
        return perform { () throws(TransferFailure) in
            guard step == .endCaching else { return try take(step) }
            if let next = try endCaching(isComplete: isComplete) { return next }
            return try take(self.machine.step)
        }
    }

    /// Whether more of the last piece of the body is to be decoded.
    var isDecoding: Bool { exchange.response.decoding?.isUnfinished == true }

    /// Keeps libcurl's result until the body is decoded; returns whether it must wait.
    func holdsEnd(_ code: CurlCode) -> Bool {
        guard isDecoding else { return false }
        exchange.response.decoding?.heldEnd = code
        return true
    }

    /// Decodes the next step of the body, and lets libcurl continue behind the last one.
    func decodeOn() -> Next {
        guard exchange.decode([UInt8]().span, atMost: BodyDecoding.step) else {
            return .breaksOff(.writeError)
        }
        if isDecoding { return .read }
        if let code = exchange.response.decoding?.heldEnd { return end(code) }
        return resume()
    }

    /// The failure of an exchange that has ended; nil for none.
    private func fault(
        behind code: CurlCode,
        isComplete: Bool,
        _ machine: AttemptMachine
    ) -> TransferFailure? {
        let isExpected = machine.repetition == nil && !machine.isAsked
        if isComplete { return exchange.faultOfResponse(after: code, isExpected: isExpected) }
        let isFault =
            !exchange.response.isUnchanged && !machine.isGivenUp && !machine.isAsked
            && !machine.isGivingUp
        return isFault ? exchange.failure(behind: code) : nil
    }

    /// Ends the attempt from outside; the handle has been taken out of its multi handle.
    func abort(_ failure: TransferFailure) -> Next {
        exchange.noteSent()
        exchange.noteFailedConnection()
        let download = SegmentRole.of(exchange)?.downloadOfAttempt
        if download?.isMainOver != true {
            exchange.recorder.end(
                isComplete: false,
                protocolName: exchange.file?.scheme.rawValue
                    ?? exchange.handle.networkProtocolName
            )
        }
        download?.end(nil)
        return perform { () throws(TransferFailure) in
            // No task waits for the answer to such a request.
            if isGivingUp, !exchange.hasFailed, failure.kind != .cancelled {
                return try didCancelUpload()
            }
            if case .refuse? = exchange.verdict { exchange.outcome.noteCutRefusal(failure.kind) }
            if !exchange.hasFailed { exchange.fail(failure) }
            if let next = try endCaching(isComplete: false) { return next }
            return finish()
        }
    }

    /// Ends the attempt before its request has left.
    func end(unsent failure: TransferFailure) -> Next {
        exchange.fail(failure)
        if let segment = endSegment() { return segment }
        return .finished(AttemptResult(of: exchange))
    }

    /// Ends the attempt after its last exchange.
    func finish() -> Next {
        if let segment = endSegment() { return segment }
        exchange.judgeEnd()
        if exchange.hasFailed { exchange.policies.caching?.reject(.rejected) }
        exchange.forgetStored()
        var result = AttemptResult(of: exchange)
        exchange.conversation?.complete(&result)
        guard !exchange.hasFailed, !exchange.response.isUnchanged, hasResult else {
            return .finished(result)
        }
        let check = ContentCheck(
            exchange.request.expectation,
            head: exchange.head,
            body: exchange.response.bodyCheck?.kept
        )
        let isList = if case .checksums = exchange.request.sink { true } else { false }
        let cached = exchange.policies.caching?.outcome()
        guard check != nil || exchange.response.destination != nil || isList else {
            cached?.end(&result)
            return .finished(result)
        }
        return .publish(
            PublicationJob(
                consume result,
                exchange.response.sink.content,
                check: check,
                destination: exchange.response.destination,
                announced: exchange.policies.part.announcedDigest
                    ?? exchange.response.announcedDigest(
                        to: exchange.hop.method,
                        isRest: exchange.policies.part.isRest
                    ),
                isChecksumList: isList,
                cached: cached
            )
        )
    }

    /// Whether the attempt has an accepted response, or the result of a stream, which has none.
    private var hasResult: Bool {
        if case .accept = exchange.verdict { return true }
        return exchange.request.stream != nil
    }
}
