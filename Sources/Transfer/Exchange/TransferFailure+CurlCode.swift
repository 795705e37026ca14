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
    /// Whether the server has asked for one.
    var isCertificateAsked = false
    /// Why a certificate was refused; of code 0 when its chain was not.
    var certificateFault = CertificateFault(code: 0)
    /// libcurl's own words.
    var detail: String?
    /// Whether any byte of the request has left.
    var didSend = false
    /// The proxy, when it is what failed; nil when the origin did, or there is none.
    var proxy: Proxy?
    /// Whether the response came as TLS: libcurl then says the same of a lost connection as of
    /// bytes that it cannot read.
    var isEncrypted = false
    /// Whether HTTP/1.1 was the only version that was offered.
    var offersHTTP1Only = true

    /// Who did not lead where the request was for.
    fileprivate var peer: String { proxy.map { "the proxy \($0.url)" } ?? host }

    /// Whether the server's alert is that our certificate has expired, which libcurl says as it
    /// says that the server's is not good, only without a reason.
    var isOurCertificateExpired: Bool {
        code.rawValue == 60 && hasClientCertificate && (0...1).contains(certificateFault.code)
            && detail?.hasPrefix("SSL certificate verification failed") ?? false
    }

    /// Whether a line of the response was longer than what libcurl keeps of one, 100 KiB: it runs
    /// out of memory (27), it says before 8.6, where later ones say what it is (100).
    var isTooLarge: Bool {
        code.rawValue == 100 || code.rawValue == 27 && didSend && [.wait, .receive].contains(phase)
    }

    fileprivate var refusal: CertificateRefusal {
        CertificateRefusal(certificateFault, host: peer, detail: detail ?? code.message)
    }

    /// Whether OpenSSL has refused a certificate: of TLS inside of TLS libcurl 7.88 only says that
    /// the handshake failed.
    fileprivate var isCertificateRefused: Bool { certificateFault.code > 1 }

    /// Whether the handshake failed because neither side has a version that the other allows, as
    /// OpenSSL words it.
    fileprivate var hasNoCommonVersion: Bool {
        ["protocol version", "unsupported protocol", "no protocols available"].contains {
            detail?.contains($0) ?? false
        }
    }

    /// Whether the handshake failed because the server has no version of HTTP that was offered (RFC
    /// 7301 §3.2), as OpenSSL words it.
    fileprivate var hasNoCommonProtocol: Bool {
        code.rawValue == 35 && detail?.contains("no application protocol") ?? false
    }

    /// Whether the stream was given up for a field that must not be in it (RFC 9113 §8.2), as
    /// nghttp2 words it.
    fileprivate var hasInvalidField: Bool {
        code.rawValue == 92 && detail?.hasPrefix("Invalid HTTP header field") ?? false
    }

    /// Whether frames were wrong or too many for nghttp2 or libcurl, which say so; the same code
    /// (16) without words is a lost connection.
    fileprivate var hasBrokenFrames: Bool {
        guard code.rawValue == 16, let detail else { return false }
        return detail.hasPrefix("nghttp2 ") || detail.hasPrefix("Too many response headers")
    }

    /// Whether the connection has ended without `close_notify` (RFC 8446 §6.1), as OpenSSL words
    /// it.
    var lacksCloseNotify: Bool {
        code.rawValue == 56 && detail?.contains("unexpected eof while reading") ?? false
    }

    /// Whether libcurl received what it could not read, rather than nothing more: its receiving
    /// failed (56), but not in the kernel.
    fileprivate var isUnreadable: Bool {
        guard code.rawValue == 56, osErrno == nil, phase == .receive else { return false }
        // `Illegal or missing hexadecimal sequence in chunked-encoding` and its like.
        return !isEncrypted || detail?.lowercased().contains("chunk") ?? false
    }
}

extension TransferFailure {
    /// The failure that a `CURLcode` other than `CURLE_OK` means: the only place where the two
    /// meet.
    init(_ end: ExchangeEnd) {
        let row = Self.row(for: end)
        self.init(
            kind: row.kind,
            phase: end.phase,
            detail: end.words
        )
        urlError = row.urlError
        curlCode = end.code.rawValue
        osErrno = end.osErrno
        isPermanent = row.isPermanent
        isKnownUnprocessed = !end.didSend
        explainTLS(end)
        if end.proxy != nil, isPermanent, kind == .connect { help = Self.proxyHelp }
    }

    /// What a code means.
    struct Row {
        var kind: Kind
        var urlError: URLErrorCode
        var isPermanent = false
    }

    private static func row(for end: ExchangeEnd) -> Row {
        if let proxy = end.proxy, let row = row(for: proxy, end) { return row }
        return switch end.code.rawValue {
        case 56 where end.lacksCloseNotify && end.phase == .receive:
            Row(kind: .truncated, urlError: .networkConnectionLost)
        // After a request has left it is the answer that speaks an unknown protocol (1).
        case 1 where end.didSend, 8,
            16 where end.hasBrokenFrames, 56 where end.isUnreadable, 92 where end.hasInvalidField:
            Row(kind: .protocolViolation, urlError: .badServerResponse)
        case 1: Row(kind: .engine, urlError: .unsupportedURL, isPermanent: true)
        case 3: Row(kind: .engine, urlError: .badURL, isPermanent: true)
        case 5, 6: Row(kind: .resolve, urlError: .cannotFindHost)
        case 7, 45: Row(kind: .connect, urlError: connectError(end.osErrno))
        case 9, 67:
            Row(
                kind: .httpStatus,
                urlError: .userAuthenticationRequired,
                isPermanent: true
            )
        case 16, 92, 95:
            // A stream that ends once its response has begun has not ended as a whole one does.
            Row(
                kind: end.phase == .receive ? .truncated : .reset,
                urlError: .networkConnectionLost
            )
        case 52, 55, 56:
            Row(kind: .reset, urlError: .networkConnectionLost)
        case 18: Row(kind: .truncated, urlError: .networkConnectionLost)
        case 22: Row(kind: .httpStatus, urlError: .badServerResponse)
        case 23: Row(kind: .localIO, urlError: .cannotWriteToFile, isPermanent: true)
        case 26, 65:
            Row(kind: .localIO, urlError: .requestBodyStreamExhausted, isPermanent: true)
        case _ where end.isTooLarge:
            Row(kind: .protocolViolation, urlError: .badServerResponse)
        case 27: Row(kind: .engine, urlError: .unknown, isPermanent: true)
        case 28: Row(kind: .timeout, urlError: .timedOut)
        case 35 where end.isCertificateRefused:
            Row(kind: .tls, urlError: .serverCertificateUntrusted, isPermanent: true)
        case 35: Row(kind: .tls, urlError: .secureConnectionFailed)
        case 37, 78: Row(kind: .localIO, urlError: .fileDoesNotExist, isPermanent: true)
        case 42: Row(kind: .cancelled, urlError: .cancelled)
        case 47:
            Row(kind: .redirectLimit, urlError: .httpTooManyRedirects, isPermanent: true)
        case 51, 60, 90:
            Row(kind: .tls, urlError: .serverCertificateUntrusted, isPermanent: true)
        case 53, 54, 58, 59, 64, 66, 77, 80, 82, 83, 91, 98:
            Row(kind: .tls, urlError: .secureConnectionFailed, isPermanent: true)
        case 61:
            Row(
                kind: .protocolViolation,
                urlError: .cannotDecodeRawData,
                isPermanent: true
            )
        case 63:
            Row(
                kind: .protocolViolation,
                urlError: .dataLengthExceedsMaximum,
                isPermanent: true
            )
        case 96, 97: Row(kind: .connect, urlError: .cannotConnectToHost)
        default: Row(kind: .engine, urlError: .unknown, isPermanent: true)
        }
    }

    private static func connectError(_ osErrno: Int?) -> URLErrorCode {
        switch osErrno {
        case 101, 113: .notConnectedToInternet
        case 110: .timedOut
        default: .cannotConnectToHost
        }
    }

    private mutating func explainCertificate(_ end: ExchangeEnd) {
        let refusal = end.refusal
        urlError = refusal.urlError
        detail = refusal.sentence
        help = refusal.help
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
        case 51, 60: explainCertificate(end)
        case 35 where end.isCertificateRefused: explainCertificate(end)
        case 90:
            detail = "the public key of \(end.peer) is none of `tls.pinnedPublicKeys`"
            help = "whoever changed it may not be its owner: ask before you pin the new one"
        case 35 where end.hasNoCommonVersion:
            detail = "\(end.peer) speaks no version of TLS that the session allows"
            help = "see `tls.minimumVersion` and `tls.maximumVersion`"
            isPermanent = true
        case 35 where end.hasNoCommonProtocol:
            detail =
                end.offersHTTP1Only
                ? "\(end.peer) does not speak HTTP/1.1, which is all that it was offered"
                : "\(end.peer) speaks no version of HTTP that it was offered"
            help = Self.versionHelp
            isPermanent = true
        default: break
        }
    }

    /// What a person may do about a server that has no version of HTTP which it was offered.
    static let versionHelp =
        "one that speaks only HTTP/2 needs libcurl 8.0 or newer, and a session whose `httpVersion` allows it"
}
