internal import CurlKit
internal import SystemKit
internal import TransferModel

// The steps of an attempt at a file server: no challenges, redirects or stored responses.
extension Attempt {
    /// Prepares for the first exchange.
    func prepare(_ file: FileTransfer) throws(TransferFailure) {
        let scheme = file.scheme.rawValue
        guard CurlLibrary.speaks(scheme) else {
            let detail = "the loaded libcurl was built without `\(scheme)`"
            throw ExchangeStage.unsent(.engine, .unsupportedURL, detail)
        }
        do throws(SystemError) {
            try file.readKnownHosts(of: exchange.hop.url, in: exchange.session)
        } catch {
            throw TransferFailure(reading: error, phase: .prepare)
        }
        exchange.recorder.isHeadless = true
    }

    /// The failure of a connection for the file whose TLS did not begin in time; nil for any other
    /// result.
    ///
    /// libcurl 7.88.1 then asks for another connection, and takes the reply to RETR for the answer
    /// (`CURLE_FTP_WEIRD_PASV_REPLY`).
    private func lateHandshake(_ file: FileTransfer, _ code: CurlCode) -> TransferFailure? {
        let now = MonotonicTime.now
        guard code.rawValue == 13, let end = file.handshakeEnd, now >= end else { return nil }
        return exchange.overdue(at: now)
            ?? exchange.recorder.stage.timeout(
                .idle,
                idleLimit: exchange.request.timeoutInterval,
                body: nil
            )
    }

    /// Ends the exchange with libcurl's result.
    func end(_ file: FileTransfer, _ code: CurlCode) -> Next {
        if code.isOK, !exchange.hasFailed, !file.isJudged {
            // An empty file, of which no piece has come.
            _ = exchange.judgeFacts(of: file)
        }
        let isStopped =
            exchange.hasFailed || exchange.response.isCutOff || exchange.response.isUnchanged
        let isFault = !isStopped && !code.isOK
        let isGivenUp = isFault && exchange.mayGoAnotherWay(after: code)
        if isFault, !isGivenUp {
            if file.easy.offset > 0, FileTransferFault.refusesOffset(code) {
                exchange.policies.part.resumption?.wantWholeFile()
            } else {
                let fault = FileTransferFault(exchange: exchange, code: code, file: file)
                exchange.fail(lateHandshake(file, code) ?? fault.failure)
            }
        } else if !isStopped, let fault = exchange.miscount ?? exchange.missingCloseNotify {
            exchange.fail(fault)
        }
        exchange.response.isWhole = code.isOK
        exchange.noteFailedConnection()
        exchange.recorder.end(
            isComplete: code.isOK && !exchange.hasFailed && !exchange.response.isCutOff,
            protocolName: file.scheme.rawValue,
            curlCode: isFault ? code.rawValue : nil,
            osErrno: isFault ? exchange.osErrno(behind: code) : nil
        )
        return perform { () throws(TransferFailure) in
            var machine = machine
            machine.isGivenUp = isGivenUp
            return try take(machine.step)
        }
    }
}
