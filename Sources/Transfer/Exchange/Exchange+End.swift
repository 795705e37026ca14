internal import CurlKit
internal import HTTPCache
internal import NetworkPath
internal import SystemKit
internal import TransferModel

// At the end of an exchange, which `EndJudge` judges, and of the attempt.
extension Exchange {
    /// The facts about the exchange, whose end is recorded, for the step after it.
    var machine: AttemptMachine {
        AttemptMachine(
            hasFailed: hasFailed,
            repetition: policies.part.repetition,
            isGivingUp: isGivingUp,
            verdict: verdict
        )
    }

    /// Whether the running request cancels an upload.
    var isGivingUp: Bool { policies.upload?.isGivingUp == true }

    /// Records that libcurl has ended the exchange with a code; returns the facts for the step
    /// after it.
    func recordEnd(_ code: CurlCode) -> AttemptMachine {
        noteSent()
        let judge = EndJudge(code, of: self)
        let protocolName = judge.protocolName
        response.hasUnannouncedEnd = judge.isUnannounced
        let isEnd = code.isOK || response.isCutOff || response.hasUnannouncedEnd
        response.isWhole = code.isOK && response.isDelimited(to: hop.method, over: protocolName)
        var machine = machine
        machine.isComplete = isEnd && head != nil
        if machine.isComplete, judge.showsHTTP1 { session.noteOriginWithoutALPN(hop.url.origin) }
        machine.isAsked = !hasFailed && policies.proxy.isAsked(isComplete: machine.isComplete)
        machine.isGivenUp =
            !machine.isComplete && (judge.mayResend() || judge.mayGoAnotherWay())
        machine.isUnvouched = response.isUnvouched
        machine.isCaching = policies.caching != nil && policies.part.segment == nil
        if !hasFailed, let fault = judge.fault(before: machine) { fail(fault) }
        machine.hasFailed = hasFailed
        if !isEnd, let kind = judge.cutOfRefusal { outcome.noteCutRefusal(kind) }
        let isFault = !isEnd && !response.isUnchanged && !machine.isAsked
        noteFailedConnection()
        recorder.end(
            isComplete: machine.isComplete && machine.repetition == nil && !machine.isUnvouched
                && (code.isOK || policies.part.segment == nil) && !hasLeftRest
                && failure?.kind != .truncated,
            protocolName: protocolName,
            curlCode: isFault ? code.rawValue : nil,
            osErrno: isFault ? judge.osErrno : nil
        )
        return machine
    }

    /// Whether a response that opens no WebSocket may have a rest, which is not read.
    var hasLeftRest: Bool {
        guard request.conversationStart != nil, response.isCutOff else { return false }
        return response.parser.framing.contentLength != recorder.receivedBodyBytes
    }

    // MARK: - The end of the attempt

    /// Records a connection that failed before its request.
    func noteFailedConnection() {
        guard recorder.hasUnusedConnection else { return }
        // The name may stand for another address by now.
        if !peer.isAddress { session.unreachedHosts.insert(peer.host) }
        let remote = handle.remoteEndpoint.map {
            TransactionMetrics.Endpoint(address: $0.address, port: $0.port)
        }
        recorder.didFailToConnect(handle.connectTimes, remote: remote, at: .now)
    }

    /// Judges the bodies of the request and of the response.
    func judgeEnd() {
        let isAccepted = if case .accept = verdict { true } else { false }
        if !hasFailed {
            do throws(TransferFailure) {
                try body.reader?.verify()
                if isAccepted { try response.endParts(at: context.wallTime, &outcome) }
                if isAccepted, !recorder.isRequestSent { throw ExchangeStage.earlyAnswer }
            } catch {
                fail(error)
            }
        }
        if var failure {
            if body.reader?.isSpent == true { failure.explainSpentBody() }
            policies.authentication?.explain(&failure, head, from: hop.url)
            return fail(failure)
        }
        guard isAccepted else { return }
        if let shortage = policies.part.resumption?.shortage { return fail(shortage) }
        if !response.isUnchanged, let findings = response.judgeBody(of: hop.method) {
            note(findings)
        }
    }

    /// Removes stored responses that proved wrong, led to a failure, or are outdated.
    ///
    /// A stored response is outdated when the attempt has a newer file that it does not store: a
    /// resumed file, or one that was fetched anew after resuming failed.
    func forgetStored() {
        if let failure {
            policies.caching?.forget(after: failure)
        } else if policies.part.resumption != nil, policies.caching?.isOfCache != true {
            session.cache?.forget(hop.url)
        }
    }

    // MARK: - Network changes

    /// The failure of an exchange whose interface is gone or no longer permitted; nil while it may
    /// continue.
    func lostPath(in network: NetworkSnapshot) -> TransferFailure? {
        guard let path = policies.path, policies.caching?.isReading != true else { return nil }
        let isMultipath = path.way.map { session.multipathConnections.contains($0.number) } ?? false
        return path.fault(in: network, isMultipath: isMultipath).map(failure(of:))
    }

    /// Ends the connection at once if its interface is forbidden, so that the kernel drops unsent
    /// bytes.
    func resetForbiddenPath() {
        guard session.access.isRestricted else { return }
        guard let way = policies.path?.way else { return handle.resetConnections() }
        session.reset(way)
    }
}
