internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The state of an exchange when libcurl ends it with an error.
struct ExchangeEnd {
    var code: CurlCode
    var phase: TransferFailure.Phase
    var osErrno: Int?
    /// The request's host.
    var host = ""
    /// The request's port.
    var port = 0
    /// The session's limit for one connection.
    var connectTimeout = Duration.seconds(30)
    /// Whether the session has a client certificate.
    var hasClientCertificate = false
    /// Whether the server requested a client certificate.
    var isCertificateAsked = false
    /// Whether that server has not accepted the handshake.
    var isShutOut = false
    /// The names in the server's certificate, if its chain was accepted.
    var certificateNames: [String] = []
    /// The session's file of authorities; nil for those of the machine.
    var caFile: String?
    /// Why a certificate was rejected; code 0 when its chain was not.
    var certificateFault = CertificateFault(code: 0)
    /// libcurl's message.
    var detail: String?
    /// Whether any byte of the request was sent.
    var didSend = false
    /// The proxy if it failed; nil when the origin failed, or without a proxy.
    var proxy: Proxy?
    /// The URL of the proxy on the way, failed or not; nil without one.
    var route: String?
    /// Whether libcurl read the bytes as a response of HTTP, whose faults it also reports as a
    /// failed receive.
    var readsHTTP = false
    /// Whether the response came over TLS: libcurl then reports unreadable bytes like a lost
    /// connection.
    var isEncrypted = false
    /// Whether only HTTP/1.1 was offered.
    var offersHTTP1Only = true
    /// Whether the server has chosen no version of HTTP in the TLS handshake (ALPN), and sent no
    /// head.
    var lacksChosenVersion = false

    /// The request's host and port.
    var address: String { "\(host):\(port)" }

    /// The failed peer: the proxy or the host.
    fileprivate var peer: String { proxy.map { "the proxy \($0.url)" } ?? host }

    /// Whether the server reported that our certificate has expired: libcurl reports this like a
    /// rejected server certificate, but without a reason.
    var isOurCertificateExpired: Bool {
        code.rawValue == 60 && hasClientCertificate && (0...1).contains(certificateFault.code)
            && detail?.hasBytePrefix("SSL certificate verification failed") ?? false
    }

    /// Whether a line of the response was longer than libcurl's limit of 100 KiB: versions before
    /// 8.6 report out of memory (27), later ones the cause (100).
    var isTooLarge: Bool {
        code.rawValue == 100 || code.rawValue == 27 && didSend && [.wait, .receive].contains(phase)
    }

    fileprivate var refusal: CertificateRefusal {
        CertificateRefusal(
            certificateFault,
            host: peer,
            names: certificateNames,
            detail: detail ?? code.message
        )
    }

    /// Whether OpenSSL rejected a certificate: for TLS within TLS, libcurl 7.88 only reports a
    /// failed handshake.
    fileprivate var isCertificateRefused: Bool { certificateFault.code > 1 }

    /// Whether the peer's bytes are no TLS, in OpenSSL's words.
    fileprivate var hasNoTLS: Bool {
        ["wrong version number", "packet length too long", "http request"].contains {
            detail?.contains($0) ?? false
        }
    }

    /// Whether the handshake failed without a common TLS version, in OpenSSL's words.
    fileprivate var hasNoCommonVersion: Bool {
        ["protocol version", "unsupported protocol", "no protocols available"].contains {
            detail?.contains($0) ?? false
        }
    }

    /// Whether the handshake failed because the server supports no offered HTTP version (RFC 7301
    /// §3.2), in OpenSSL's words.
    fileprivate var hasNoCommonProtocol: Bool {
        code.rawValue == 35 && detail?.contains("no application protocol") ?? false
    }

    /// Whether the stream ended because of a forbidden field (RFC 9113 §8.2), in nghttp2's words.
    fileprivate var hasInvalidField: Bool {
        code.rawValue == 92 && detail?.hasBytePrefix("Invalid HTTP header field") ?? false
    }

    /// Whether frames were invalid or too many for nghttp2 or libcurl; without a message, the same
    /// code (16) means a lost connection.
    fileprivate var hasBrokenFrames: Bool {
        guard let detail else { return false }
        // Before 8.0, libcurl reports them as a failed send or receive.
        if [55, 56].contains(code.rawValue) {
            return detail.contains("nghttp2_session_mem_recv()")
        }
        guard code.rawValue == 16 else { return false }
        return detail.hasBytePrefix("nghttp2 ") || detail.hasBytePrefix("Too many response headers")
    }

    /// Whether the connection ended without `close_notify` (RFC 8446 §6.1), in OpenSSL's words.
    var lacksCloseNotify: Bool {
        code.rawValue == 56 && detail?.contains("unexpected eof while reading") ?? false
    }

    /// Whether libcurl received unreadable data: its receiving failed (56), but not in the kernel.
    fileprivate var isUnreadable: Bool {
        guard readsHTTP, code.rawValue == 56, osErrno == nil, phase == .receive else {
            return false
        }
        // `Illegal or missing hexadecimal sequence in chunked-encoding` and similar messages.
        return !isEncrypted || detail?.lowercased().contains("chunk") ?? false
    }
}

extension TransferFailure {
    /// The failure for a `CURLcode` other than `CURLE_OK`; no other place maps these codes.
    init(_ end: ExchangeEnd) {
        let row = Self.row(for: end)
        self.init(kind: row.kind, phase: end.phase, detail: end.words(of: row.kind))
        urlError = row.urlError
        curlCode = end.code.rawValue
        osErrno = end.osErrno
        isPermanent = row.isPermanent
        isKnownUnprocessed = !end.didSend
        explainTime(end)
        explainTLS(end)
        if decidingKey.isEmpty, end.proxy != nil { decidingKey = Self.proxyKey }
        help = help ?? end.helpAboutProxy(self)
        explainPeer(end)
        adviseUsual()
    }

    /// The meaning of a code.
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
        // After a sent request, the unknown protocol (1) is the response's.
        case 1 where end.didSend, 8,
            _ where end.hasBrokenFrames, 56 where end.isUnreadable, 92 where end.hasInvalidField:
            Row(kind: .protocolViolation, urlError: .badServerResponse)
        case 1: Row(kind: .engine, urlError: .unsupportedURL, isPermanent: true)
        case 3: Row(kind: .engine, urlError: .badURL, isPermanent: true)
        case 5, 6: Row(kind: .resolve, urlError: .cannotFindHost)
        case 7, 45: Row(kind: .connect, urlError: connectError(end.osErrno))
        case 9, 67:
            Row(kind: .httpStatus, urlError: .userAuthenticationRequired, isPermanent: true)
        case 16, 92, 95:
            // A stream that ends after its response began was cut.
            Row(kind: end.phase == .receive ? .truncated : .reset, urlError: .networkConnectionLost)
        // Before 8.0, libcurl reports a stream without a head like a cut body (18).
        case 18 where end.phase == .wait, 52, 55, 56:
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
            Row(kind: .protocolViolation, urlError: .cannotDecodeRawData, isPermanent: true)
        case 63:
            Row(kind: .protocolViolation, urlError: .dataLengthExceedsMaximum, isPermanent: true)
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
        decidingKey = refusal.decidingKey
    }

    /// Names the limit of time that libcurl keeps, the one for a connection.
    private mutating func explainTime(_ end: ExchangeEnd) {
        let words: String? =
            switch end.phase {
            case _ where end.code.rawValue != 28: nil
            case .resolve: "\(end.peer) was not found within"
            case .connect where end.proxy != nil: "\(end.peer) opened no connection within"
            case .connect: "no connection to \(end.address) within"
            case .tls:
                "\(end.peer) accepted the connection, but did not complete the TLS handshake within"
            case .prepare, .send, .wait, .receive, .finish: nil
            }
        guard let words else { return }
        let limit = TimeLimit(.connectTimeout, end.connectTimeout)
        detail = "\(words) \(limit.text)"
        decidingKey = end.proxy == nil ? [limit.key.rawValue] : Self.proxyKey
    }

    /// Explains a problem with a certificate or with TLS versions.
    private mutating func explainTLS(_ end: ExchangeEnd) {
        if let refusal = ClientCertificateRefusal(end) {
            self.kind = .tls
            urlError = refusal.urlError
            detail = refusal.sentence
            help = refusal.help
            isPermanent = true
            // The handshake failed for the server, so it read no request.
            if refusal.isCertain { isKnownUnprocessed = true }
            return
        }
        switch end.code.rawValue {
        case 51, 60: explainCertificate(end)
        case 35 where end.isCertificateRefused: explainCertificate(end)
        case 90:
            detail = "the public key of \(end.peer) is not one of `tls.pinnedPublicKeys`"
            decidingKey = ["tls", "pinnedPublicKeys"]
            help =
                "another server may be posing as this one: ask its owner before you pin the new key"
        case 77:
            guard let caFile = end.caFile else { break }
            detail = "`\(caFile)` holds no PEM certificate"
            decidingKey = ["tls", "caFile"]
        case 35 where end.hasNoTLS:
            detail = "\(end.peer) does not speak TLS on this port"
        case 35 where end.hasNoCommonVersion:
            detail = "\(end.peer) speaks no version of TLS that the session allows"
            help = "see `tls.minimumVersion` and `tls.maximumVersion`"
            decidingKey = ["tls", "minimumVersion"]
            isPermanent = true
        case 35 where end.hasNoCommonProtocol:
            detail =
                end.offersHTTP1Only
                ? "\(end.peer) does not speak HTTP/1.1, the only version that runner offered"
                : "\(end.peer) speaks no version of HTTP that runner offered"
            help = Self.versionHelp
            isPermanent = true
        default: break
        }
    }

    /// Adds the possible cause of a failure that is not the origin's own.
    private mutating func explainPeer(_ end: ExchangeEnd) {
        // A fault of TLS itself says more than the missing choice.
        if end.lacksChosenVersion, kind != .tls, [1, 52, 55, 56].contains(end.code.rawValue) {
            detail +=
                ", after the server had chosen no version of HTTP in the TLS handshake (ALPN)"
            help =
                kind == .reset
                ? "the server broke the connection off: see its log; \(Self.versionHelp)"
                : Self.versionHelp
        }
        // A permanent failure is about the origin's own TLS; otherwise another server may have
        // answered in its place.
        if let route = end.route, phase == .tls, !isPermanent {
            detail += ", through the proxy \(route)"
        }
    }

    /// Advice for a server that supports no offered HTTP version.
    static let versionHelp =
        "a server that speaks only HTTP/2 needs libcurl 8.0 or newer, and a session whose "
        + "`httpVersion` allows it"
}
