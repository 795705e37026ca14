internal import CurlKit
internal import SystemKit
internal import TransferModel

// The steps of an exchange with a file server: without challenges, redirects and stored responses.
extension FileTransfer {
    /// Prepares for the first request of an exchange.
    func prepare(for exchange: Exchange) throws(TransferFailure) {
        let scheme = scheme.rawValue
        guard CurlLibrary.speaks(scheme) else {
            let detail = "the loaded libcurl was built without `\(scheme)`"
            throw ExchangeStage.unsent(.engine, .unsupportedURL, detail)
        }
        do throws(SystemError) {
            try readKnownHosts(of: exchange.hop.url, in: exchange.session)
        } catch {
            throw TransferFailure(reading: error, phase: .prepare)
        }
        exchange.recorder.isHeadless = true
    }

    /// Judges the response that the facts about the file stand for, before its body; false when its
    /// body is not wanted.
    func judgeFacts(for exchange: Exchange) -> Bool {
        let facts = judge(exchange.handle, carriesBody: exchange.body.isCarried)
        let head = facts.head(from: easy.offset)
        exchange.response.head = head
        exchange.response.parser.assume(length: facts.length(from: easy.offset))
        exchange.recorder.didReceiveHead(count: 0, isFinal: true, at: exchange.move())
        exchange.recorder.didReceive(head)
        return exchange.receive(head)
    }

    /// Records that libcurl has ended an exchange with a code; returns the facts for the step after
    /// it.
    func recordEnd(of exchange: Exchange, _ code: CurlCode) -> AttemptMachine {
        if code.isOK, !exchange.hasFailed, !isJudged {
            // An empty file, whose body has no piece.
            _ = judgeFacts(for: exchange)
        }
        let isCutOff = exchange.response.isCutOff
        let isStopped = exchange.hasFailed || isCutOff || exchange.response.isUnchanged
        let isFault = !isStopped && !code.isOK
        let end = EndJudge(code, of: exchange)
        let isGivenUp = isFault && end.mayGoAnotherWay()
        if isFault, !isGivenUp {
            if easy.offset > 0, FileTransferFault.refusesOffset(code) {
                exchange.policies.part.resumption?.wantWholeFile()
            } else {
                let fault = FileTransferFault(exchange: exchange, code: code, file: self)
                exchange.fail(lateHandshake(of: exchange, code) ?? fault.failure)
            }
        } else if !isStopped, let fault = end.faultOfBody {
            exchange.fail(fault)
        }
        exchange.response.isWhole = code.isOK
        exchange.noteFailedConnection()
        exchange.recorder.end(
            isComplete: code.isOK && !exchange.hasFailed && !isCutOff,
            protocolName: scheme.rawValue,
            curlCode: isFault ? code.rawValue : nil,
            osErrno: isFault ? end.osErrno : nil
        )
        var machine = exchange.machine
        machine.isGivenUp = isGivenUp
        return machine
    }

    /// The failure of a handshake that was limited by the silence or the end of the task; nil for
    /// any other result.
    ///
    /// For the handshake of the commands, libcurl reports a connection that took too long. For the
    /// handshake of the file, libcurl 7.88.1 asks for another connection, and takes the reply to
    /// RETR for the answer (`CURLE_FTP_WEIRD_PASV_REPLY`).
    private func lateHandshake(of exchange: Exchange, _ code: CurlCode) -> TransferFailure? {
        let now = MonotonicTime.now
        let isLate = code.rawValue == (exchange.recorder.hasBegunRequest ? 13 : 28)
        guard isLate, let handshakeEnd, now >= handshakeEnd else { return nil }
        return exchange.overdue(at: now) ?? exchange.timeout(.idle)
    }
}
