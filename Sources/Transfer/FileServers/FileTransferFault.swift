internal import CurlKit
internal import TransferModel

/// Why a file server did not transfer a file, by libcurl's code and the server's last reply.
struct FileTransferFault {
    let exchange: Exchange
    let code: CurlCode
    let file: FileTransfer

    /// Whether the server cannot begin at an offset: it does not know `REST`, or the file is
    /// shorter now.
    static func refusesOffset(_ code: CurlCode) -> Bool { [31, 33, 36].contains(code.rawValue) }

    /// The failure of a transfer whose server names a size that is none.
    static func badSize(_ replies: FTPReplies) -> TransferFailure {
        let reply = replies.last.map { "\($0.code) \($0.text)" } ?? ""
        var failure = TransferFailure(
            kind: .protocolViolation,
            phase: .wait,
            detail: "the server answered `SIZE` with `\(reply)`, which names no size (RFC 3659 §4)"
        )
        failure.urlError = .badServerResponse
        return failure
    }

    /// The failure of a transfer whose server does not end its reply.
    static var endlessReply: TransferFailure {
        var failure = TransferFailure(
            kind: .protocolViolation,
            phase: .wait,
            detail: "the server's reply to a command never ends"
        )
        failure.urlError = .badServerResponse
        failure.isPermanent = true
        return failure
    }

    /// The failure, with the retry that the reply permits: a reply of 400 to 499 may pass by
    /// itself, one of 500 to 599 does not (RFC 959 §4.2.1).
    var failure: TransferFailure {
        let general = EndJudge(code, of: exchange).failure
        guard file.scheme != .sftp else { return ofSSH(general) }
        switch code.rawValue {
        case 64:
            var failure = general
            failure.detail = "the server does not begin TLS"
            failure.help = "only if others may read everything: `ftp: { tls: none }`"
            return failure
        // The commands before and after the transfer of the bytes.
        case 8...11, 13...15, 17, 19, 21, 25, 30, 31, 67...70, 78: return ofReply(general)
        // libcurl takes every 421, whatever its reason, for a time limit that has passed.
        case 28 where file.replies.last?.code == 421: return ofReply(general)
        default: return general
        }
    }

    private func ofReply(_ general: TransferFailure) -> TransferFailure {
        var failure = general
        guard let reply = file.replies.last, reply.code >= 400 else {
            failure.kind = .protocolViolation
            failure.urlError = .badServerResponse
            failure.isPermanent = false
            return failure
        }
        failure.detail = "the server answered \(reply.code) \(reply.text)"
        failure.isPermanent = reply.code >= 500
        failure.kind = failure.isPermanent ? .httpStatus : .reset
        failure.urlError =
            switch reply.code {
            case 530, 532: .userAuthenticationRequired
            case 550, 553: .resourceUnavailable
            case 500...: .badServerResponse
            default: .networkConnectionLost
            }
        return failure
    }

    private static func detail(of knownHosts: KnownHosts, _ host: String) -> String {
        if knownHosts.needsCertificate {
            return "`knownHosts` has only an authority (`@cert-authority`) for \(host), "
                + "whose certificates runner cannot check"
        }
        guard knownHosts.knowsServer else {
            return "`knownHosts` has no key of \(host)"
                + (knownHosts.revokes ? " that is not revoked" : "")
        }
        return "the host key of \(host) is not one of those in `knownHosts`"
            + (knownHosts.revokes ? ", or is revoked there" : "")
    }

    /// Whether a server of SSH has given facts of the file and then kept the connection, but has
    /// not sent a byte: OpenSSH opens folders as files, and fails to read them.
    private var refusesToRead: Bool {
        let handle = exchange.handle
        return !exchange.body.isCarried && !file.isJudged && handle.fileTime != nil
            && handle.hasKeptControl
    }

    private func ofSSH(_ general: TransferFailure) -> TransferFailure {
        var failure = general
        let host = exchange.hop.url.origin.host
        switch code.rawValue {
        case 60:
            failure.kind = .tls
            failure.isPermanent = true
            failure.urlError = .serverCertificateUntrusted
            failure.detail =
                file.knownHosts.map { Self.detail(of: $0, host) }
                ?? "the host key of \(host) does not have the fingerprint of `hostKey`"
            failure.help =
                "another server may be posing as this one: ask its owner before you trust its key"
        case 67:
            failure.detail = "\(host) refused the login"
        case 9, 21, 78:
            failure.kind = .httpStatus
            failure.isPermanent = true
            failure.urlError = .resourceUnavailable
            failure.detail =
                switch code.rawValue {
                case 21: "the server does not give the file its name"
                case 78: "the server has no such file or folder"
                default: "the server does not permit the transfer"
                }
        case 79 where refusesToRead:
            failure.kind = .httpStatus
            failure.isPermanent = true
            failure.urlError = .resourceUnavailable
            failure.detail = "the server has it and does not read it, as it is with a folder"
        case 2, 79:
            // SSH itself failed: in the handshake before the login, or at a later packet.
            let isConnected = exchange.recorder.hasBegunRequest
            failure.kind = isConnected ? .reset : .connect
            failure.isPermanent = false
            failure.urlError = isConnected ? .networkConnectionLost : .cannotConnectToHost
        default: break
        }
        return failure
    }
}
