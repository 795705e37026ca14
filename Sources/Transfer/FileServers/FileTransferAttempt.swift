internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The steps of an attempt at a file server: no challenges, redirects or stored responses.
///
/// A value without state of its own.
struct FileTransferAttempt {
    let attempt: Attempt
    let file: FileTransfer

    private var exchange: Exchange { attempt.exchange }

    /// Begins the first exchange, with the rest of the file where an earlier attempt left a part.
    func begin(_ sockets: SocketTable, _ errors: ErrorRelay) -> Attempt.Next {
        let scheme = file.scheme.rawValue
        guard CurlLibrary.speaks(scheme) else {
            var failure = TransferFailure(
                kind: .engine,
                phase: .prepare,
                detail: "the loaded libcurl was built without `\(scheme)`"
            )
            failure.urlError = .unsupportedURL
            failure.isPermanent = true
            failure.isKnownUnprocessed = true
            return attempt.end(unsent: failure)
        }
        do throws(SystemError) {
            try file.readKnownHosts(of: exchange.hop.url, in: exchange.session)
        } catch {
            return attempt.end(unsent: TransferFailure(reading: error, phase: .prepare))
        }
        exchange.recorder.isHeadless = true
        if exchange.carriesBody {
            do throws(SystemError) {
                _ = try attempt.openBody(sockets, errors)
            } catch {
                return attempt.end(unsent: TransferFailure(reading: error, phase: .prepare))
            }
        }
        attempt.beginResuming()
        attempt.chooseRoute()
        return attempt.perform { () throws(TransferFailure) in try attempt.ask() }
    }

    /// The failure of a connection for the file whose TLS did not begin in time; nil for any other
    /// result.
    ///
    /// libcurl 7.88.1 then asks for another connection, and takes the reply to RETR for the answer
    /// (`CURLE_FTP_WEIRD_PASV_REPLY`).
    private func lateHandshake(_ code: CurlCode) -> TransferFailure? {
        let now = MonotonicTime.now
        guard code.rawValue == 13, let end = file.handshakeEnd, now >= end else { return nil }
        return exchange.overdue(at: now) ?? exchange.timeout(.idle)
    }

    /// Ends the exchange with libcurl's result.
    func end(_ code: CurlCode) -> Attempt.Next {
        if code.isOK, !exchange.hasFailed, !file.isJudged {
            // An empty file, of which no piece has come.
            _ = file.judge(exchange)
        }
        let isStopped =
            exchange.hasFailed || exchange.response.isCutOff || exchange.response.isUnchanged
        let isFault = !isStopped && !code.isOK
        let ended = EndedExchange(exchange: exchange, code: code)
        let isGivenUp = isFault && ended.mayGoAnotherWay()
        if isFault, !isGivenUp {
            if file.easy.offset > 0, FileTransferFault.refusesOffset(code) {
                exchange.part.resumption?.repetition = .wholeFile
            } else {
                exchange.fail(lateHandshake(code) ?? FileTransferFault(ended, file).failure)
            }
        } else if !isStopped, let fault = ended.miscount ?? ended.missingCloseNotify {
            exchange.fail(fault)
        }
        exchange.response.isWhole = code.isOK
        attempt.noteFailedConnection()
        exchange.recorder.end(
            isComplete: code.isOK && !exchange.hasFailed && !exchange.response.isCutOff,
            protocolName: file.scheme.rawValue,
            curlCode: isFault ? code.rawValue : nil,
            osErrno: isFault ? ended.osErrno : nil
        )
        return attempt.perform { () throws(TransferFailure) in
            var machine = attempt.machine
            machine.isGivenUp = isGivenUp
            return try attempt.take(machine.step)
        }
    }
}
