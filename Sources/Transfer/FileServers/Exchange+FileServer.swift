internal import CurlKit
internal import SystemKit
internal import TransferModel

// An exchange with a file server: without challenges, redirects and stored responses.
extension Exchange {
    /// Prepares for the first request.
    func prepare(_ file: FileTransfer) throws(TransferFailure) {
        let scheme = file.scheme.rawValue
        guard CurlLibrary.speaks(scheme) else {
            let detail = "the loaded libcurl was built without `\(scheme)`"
            throw ExchangeStage.unsent(.engine, .unsupportedURL, detail)
        }
        do throws(SystemError) {
            try file.readKnownHosts(of: hop.url, in: session)
        } catch {
            throw TransferFailure(reading: error, phase: .prepare)
        }
        recorder.isHeadless = true
    }

    /// The failure of a handshake that was limited by the silence or the end of the task; nil for
    /// any other result.
    ///
    /// libcurl reports the one of the commands as a connection that took too long. For the one of
    /// the file, libcurl 7.88.1 asks for another connection, and takes the reply to RETR for the
    /// answer (`CURLE_FTP_WEIRD_PASV_REPLY`).
    private func lateHandshake(_ file: FileTransfer, _ code: CurlCode) -> TransferFailure? {
        let now = MonotonicTime.now
        let isLate = code.rawValue == (recorder.hasBegunRequest ? 13 : 28)
        guard isLate, let end = file.handshakeEnd, now >= end else { return nil }
        return overdue(at: now) ?? timeout(.idle)
    }

    /// Records that libcurl has ended the exchange with a code; returns the facts for the step
    /// after it.
    func recordEnd(of file: FileTransfer, _ code: CurlCode) -> AttemptMachine {
        if code.isOK, !hasFailed, !file.isJudged {
            // An empty file, of which no piece has come.
            _ = judgeFacts(of: file)
        }
        let isStopped = hasFailed || response.isCutOff || response.isUnchanged
        let isFault = !isStopped && !code.isOK
        let isGivenUp = isFault && mayGoAnotherWay(after: code)
        if isFault, !isGivenUp {
            if file.easy.offset > 0, FileTransferFault.refusesOffset(code) {
                policies.part.resumption?.wantWholeFile()
            } else {
                let fault = FileTransferFault(exchange: self, code: code, file: file)
                fail(lateHandshake(file, code) ?? fault.failure)
            }
        } else if !isStopped, let fault = miscount ?? missingCloseNotify {
            fail(fault)
        }
        response.isWhole = code.isOK
        noteFailedConnection()
        recorder.end(
            isComplete: code.isOK && !hasFailed && !response.isCutOff,
            protocolName: file.scheme.rawValue,
            curlCode: isFault ? code.rawValue : nil,
            osErrno: isFault ? osErrno(behind: code) : nil
        )
        var machine = machine
        machine.isGivenUp = isGivenUp
        return machine
    }

    /// Judges the response that the facts about a file stand for, before its body; false when its
    /// body is not wanted.
    func judgeFacts(of file: FileTransfer) -> Bool {
        let facts = file.judge(handle, carriesBody: body.isCarried)
        let head = facts.head(from: file.easy.offset)
        response.head = head
        response.parser.assume(length: facts.length(from: file.easy.offset))
        recorder.didReceiveHead(count: 0, isFinal: true, at: move())
        recorder.didReceive(head)
        return receive(head)
    }
}
