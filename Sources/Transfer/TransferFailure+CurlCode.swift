internal import CurlKit
internal import TransferModel

/// What is known of an exchange when libcurl gives it up.
struct ExchangeEnd {
    var code: CurlCode
    var phase: TransferFailure.Phase
    var osErrno: Int?
    /// Whom the request was for.
    var host = ""
    /// Whether a client certificate was there to be shown.
    var hasClientCertificate = false
    /// Why a certificate was refused; of code 0 when its chain was not.
    var certificateFault = CertificateFault(code: 0)
    /// libcurl's own words.
    var detail: String?
    /// Whether any byte of the request has left.
    var didSend = false
    /// The status with which a proxy answered CONNECT; nil when none was asked, or it did not answer.
    var connectStatus: Int?
    /// Whether the response came as TLS: libcurl then says the same of a lost connection as of bytes that it cannot read.
    var isEncrypted = false

    /// Whether a proxy was reached and made no tunnel.
    fileprivate var isTunnelRefused: Bool {
        !didSend && connectStatus.map { !(200...299).contains($0) } ?? false
    }

    /// Whether the server's alert is that our certificate has expired, which libcurl says as it says that the server's is
    /// not good, only without a reason.
    var isOurCertificateExpired: Bool {
        code.rawValue == 60 && hasClientCertificate && (0...1).contains(certificateFault.code)
            && detail?.hasPrefix("SSL certificate verification failed") ?? false
    }

    /// Whether a line of the response was longer than what libcurl keeps of one, 100 KiB: it runs out of memory (27), it
    /// says before 8.6, where later ones say what it is (100).
    fileprivate var isTooLarge: Bool {
        code.rawValue == 100 || code.rawValue == 27 && didSend && [.wait, .receive].contains(phase)
    }

    fileprivate var refusal: CertificateRefusal {
        CertificateRefusal(certificateFault, host: host, detail: detail ?? code.message)
    }

    /// Whether the handshake failed because neither side has a version that the other allows, as OpenSSL words it.
    fileprivate var hasNoCommonVersion: Bool {
        ["protocol version", "unsupported protocol", "no protocols available"].contains {
            detail?.contains($0) ?? false
        }
    }

    /// Whether libcurl received what it could not read, rather than nothing more: its receiving failed (56), but not in
    /// the kernel.
    fileprivate var isUnreadable: Bool {
        guard code.rawValue == 56, osErrno == nil, phase == .receive else { return false }
        // `Illegal or missing hexadecimal sequence in chunked-encoding` and its like.
        return !isEncrypted || detail?.lowercased().contains("chunk") ?? false
    }
}

extension TransferFailure {
    /// The failure that a `CURLcode` other than `CURLE_OK` means: the only place where the two meet.
    init(_ end: ExchangeEnd) {
        let row = Self.row(for: end)
        self.init(
            kind: row.kind,
            phase: end.phase,
            detail: end.isTooLarge
                ? "the response has a line, or more fields, than can be in good faith"
                : end.detail ?? end.code.message
        )
        urlError = URLErrorCode(code: row.urlError.code, name: row.urlError.name)
        curlCode = end.code.rawValue
        osErrno = end.osErrno
        isPermanent = row.isPermanent
        isKnownUnprocessed = !end.didSend
        explainTLS(end)
        if end.isTunnelRefused, isPermanent {
            help = "look at the proxy that the environment names, and at its user and password"
        }
    }

    private struct Row {
        var kind: Kind
        var urlError: (code: Int, name: String)
        var isPermanent = false
    }

    private static func row(for end: ExchangeEnd) -> Row {
        switch end.code.rawValue {
        case _ where end.isTunnelRefused: refusedTunnel(end.connectStatus)
        case 56 where end.isUnreadable:
            Row(kind: .protocolViolation, urlError: (-1011, "badServerResponse"))
        // After a request has left it is the answer that speaks an unknown protocol.
        case 1 where end.didSend:
            Row(kind: .protocolViolation, urlError: (-1011, "badServerResponse"))
        case 1: Row(kind: .engine, urlError: (-1002, "unsupportedURL"), isPermanent: true)
        case 3: Row(kind: .engine, urlError: (-1000, "badURL"), isPermanent: true)
        case 5, 6: Row(kind: .resolve, urlError: (-1003, "cannotFindHost"))
        case 7, 45: Row(kind: .connect, urlError: connectError(end.osErrno))
        case 8:
            Row(kind: .protocolViolation, urlError: (-1011, "badServerResponse"))
        case 9, 67:
            Row(
                kind: .httpStatus,
                urlError: (-1013, "userAuthenticationRequired"),
                isPermanent: true
            )
        case 16, 92, 95:
            // A stream that ends behind its head has not ended as a whole one does.
            Row(
                kind: end.phase == .receive ? .truncated : .reset,
                urlError: (-1005, "networkConnectionLost")
            )
        case 52, 55, 56:
            Row(kind: .reset, urlError: (-1005, "networkConnectionLost"))
        case 18: Row(kind: .truncated, urlError: (-1005, "networkConnectionLost"))
        case 22: Row(kind: .httpStatus, urlError: (-1011, "badServerResponse"))
        case 23: Row(kind: .localIO, urlError: (-3003, "cannotWriteToFile"), isPermanent: true)
        case 26, 65:
            Row(kind: .localIO, urlError: (-1021, "requestBodyStreamExhausted"), isPermanent: true)
        case _ where end.isTooLarge:
            Row(kind: .protocolViolation, urlError: (-1011, "badServerResponse"))
        case 27: Row(kind: .engine, urlError: (-1, "unknown"), isPermanent: true)
        case 28: Row(kind: .timeout, urlError: (-1001, "timedOut"))
        case 35: Row(kind: .tls, urlError: (-1200, "secureConnectionFailed"))
        case 37, 78: Row(kind: .localIO, urlError: (-1100, "fileDoesNotExist"), isPermanent: true)
        case 42: Row(kind: .cancelled, urlError: (-999, "cancelled"))
        case 47:
            Row(kind: .redirectLimit, urlError: (-1007, "httpTooManyRedirects"), isPermanent: true)
        case 51, 60, 90:
            Row(kind: .tls, urlError: (-1202, "serverCertificateUntrusted"), isPermanent: true)
        case 53, 54, 58, 59, 64, 66, 77, 80, 82, 83, 91, 98:
            Row(kind: .tls, urlError: (-1200, "secureConnectionFailed"), isPermanent: true)
        case 61:
            Row(
                kind: .protocolViolation,
                urlError: (-1015, "cannotDecodeRawData"),
                isPermanent: true
            )
        case 63:
            Row(
                kind: .protocolViolation,
                urlError: (-1103, "dataLengthExceedsMaximum"),
                isPermanent: true
            )
        case 96: Row(kind: .connect, urlError: (-1004, "cannotConnectToHost"))
        case 97: Row(kind: .connect, urlError: (-1004, "cannotConnectToHost"))
        default: Row(kind: .engine, urlError: (-1, "unknown"), isPermanent: true)
        }
    }

    /// A proxy that wants other credentials, or nobody to go there, will not want it later.
    private static func refusedTunnel(_ status: Int?) -> Row {
        let isPermanent =
            status.map { (400...499).contains($0) && $0 != 408 && $0 != 429 } ?? false
        return Row(
            kind: .connect,
            urlError: status == 407
                ? (-1013, "userAuthenticationRequired") : (-1004, "cannotConnectToHost"),
            isPermanent: isPermanent
        )
    }

    private static func connectError(_ osErrno: Int?) -> (Int, String) {
        switch osErrno {
        case 101, 113: (-1009, "notConnectedToInternet")
        case 110: (-1001, "timedOut")
        default: (-1004, "cannotConnectToHost")
        }
    }

    /// Words what is wrong with a certificate or with the versions of TLS.
    private mutating func explainTLS(_ end: ExchangeEnd) {
        if let refusal = ClientCertificateRefusal(end) {
            self.kind = .tls
            urlError = refusal.urlError
            detail = refusal.sentence
            help = refusal.help
            isPermanent = true
            // The handshake has not succeeded for the server: it reads no request.
            isKnownUnprocessed = true
            return
        }
        switch end.code.rawValue {
        case 51, 60:
            let refusal = end.refusal
            urlError = URLErrorCode(code: refusal.urlError.code, name: refusal.urlError.name)
            detail = refusal.sentence
            help = refusal.help
        case 90:
            detail = "the public key of \(end.host) is none of `tls.pinnedPublicKeys`"
            help = "whoever changed it may not be its owner: ask before you pin the new one"
        case 35 where end.hasNoCommonVersion:
            detail = "\(end.host) speaks no version of TLS that the session allows"
            help = "see `tls.minimumVersion` and `tls.maximumVersion`"
            isPermanent = true
        default: break
        }
    }
}
