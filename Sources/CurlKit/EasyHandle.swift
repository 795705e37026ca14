internal import CCurl
internal import SystemKit

/// One libcurl easy handle with everything that libcurl keeps pointers to.
///
/// Belongs to the thread that drives its multi handle. Reused for many exchanges of one session;
/// what a request sets is set anew by each `prepare`.
@safe package final class EasyHandle {
    /// Who hears of the exchange; set before the handle is added to a multi handle, nil while it is
    /// idle.
    package var client: (any EasyHandleClient)?

    /// The owner's number for what the handle is doing.
    package var tag = 0

    let pointer: UnsafeMutableRawPointer
    let sockets: SocketTable
    let configuration: EasyConfiguration
    private let errorBuffer: UnsafeMutablePointer<CChar>
    /// Watches TLS: what is wrong with a certificate, whether one is asked for, how connections
    /// end, their layers; nil when OpenSSL is not there.
    let trust: OpaquePointer?
    private var headerList: HeaderList?
    /// Whether libcurl calls the debug callback.
    ///
    /// It also words messages then that nobody reads, a tenth of the time of a small transfer: not
    /// always on, therefore.
    private var isVerbose = true
    /// Whether the running exchange's client hears of all traffic.
    private var hearsTraffic = true
    /// Whether libcurl calls the progress callback.
    private var hearsDiscardedBody = false
    private var proxy: EasyProxy?
    private(set) var httpProtocol = HTTPProtocol.http1
    private var clientCertificate: EasyCertificate?
    /// What a socket was last opened for; nil before the first.
    package internal(set) var triedPeer: SocketAddress?
    /// The sockets that were opened since it was prepared, some of which may be closed by now.
    var openings: [SocketTable.Opening] = []
    /// The socket that libcurl waits for last; known only while the multi handle tells of those
    /// that are dropped.
    var watchedSocket: Int32?
    /// Whether libcurl waits for a socket of it; known under the same condition.
    package var hasSocket: Bool { watchedSocket != nil }
    /// Whether a socket was opened for the running exchange, and no request has a connection yet.
    private(set) var isConnecting = false
    /// Whether libcurl looks names up whatever it has kept of them.
    private var resolvesAnew = false
    /// Whether the last request left options behind that a plain GET does not overwrite, or a
    /// challenge.
    private var needsReset = false
    private var authentication: EasyAuthentication?

    /// Makes a handle.
    ///
    /// - Parameters:
    ///   - configuration: What stays the same over all exchanges.
    ///   - sockets: Hears of connections; that of the multi handle that it will be added to.
    /// - Throws: `CURLE_FAILED_INIT` without memory; what an option says.
    package init(configuration: EasyConfiguration, sockets: SocketTable) throws(CurlCode) {
        guard let pointer = unsafe ccurl_easy_init() else { throw CurlCode(CURLE_FAILED_INIT) }
        unsafe self.pointer = unsafe pointer
        self.configuration = configuration
        self.sockets = sockets
        unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe trust = unsafe ccurl_trust_new()
        try configure()
    }

    deinit {
        unsafe ccurl_easy_cleanup(pointer)
        if let trust = unsafe trust { unsafe ccurl_trust_release(trust) }
        unsafe errorBuffer.deallocate()
    }

    @available(*, unavailable)
    private func sendable() -> any Sendable { 0 }

    /// Sets everything that one exchange needs; the handle must not be in a multi handle.
    package func prepare(_ request: EasyRequest) throws(CurlCode) {
        if let proxy, proxy !== request.proxy, proxy.leavesChallenge { needsReset = true }
        if needsReset, !request.answersChallenge {
            unsafe ccurl_easy_reset(pointer)
            try configure()
            headerList = nil
            authentication = nil
            needsReset = false
        }
        if authentication != request.authentication {
            try setAuthentication(request.authentication)
            authentication = request.authentication
            needsReset = true
        }
        unsafe errorBuffer[0] = 0
        if !openings.isEmpty { openings.removeAll(keepingCapacity: true) }
        if let trust = unsafe trust { unsafe ccurl_trust_clear(trust) }
        hearsTraffic = request.hearsTraffic
        setVerbose(hearsTraffic)
        setProgress(false)
        try setString(CURLOPT_URL, request.url)
        if proxy !== request.proxy {
            try setProxy(request.proxy)
            proxy = request.proxy
        }
        if httpProtocol != request.httpProtocol { try setProtocol(request.httpProtocol) }
        if clientCertificate != request.clientCertificate {
            try setCertificate(request.clientCertificate)
        }
        try setMethodAndBody(of: request)
        if headerList?.isMade(of: request.headerLines) != true {
            let list = HeaderList(request.headerLines)
            try unsafe CurlCode.check(ccurl_set_list(pointer, CURLOPT_HTTPHEADER, list.pointer))
            headerList = list
        }
        try setLong(CURLOPT_FRESH_CONNECT, request.requiresFreshConnection ? 1 : 0)
        if resolvesAnew != request.resolvesAnew {
            // The default is a minute.
            try setLong(CURLOPT_DNS_CACHE_TIMEOUT, request.resolvesAnew ? 0 : 60)
            resolvesAnew = request.resolvesAnew
        }
    }

    /// Notes that a response has a challenge, which libcurl keeps for the next request.
    package func noteChallenge() { needsReset = true }

    /// Goes on with a request whose body had nothing to send; its client is called again from the
    /// multi handle.
    package func resume() throws(CurlCode) {
        let code = unsafe CurlCode(ccurl_easy_resume(pointer))
        // The transfer has lost its connection already: libcurl 8 says so, and is about to tell its
        // end.
        if code.rawValue == 43 { return }
        guard code.isOK else { throw code }
    }

    /// From now on the client hears of all traffic of the running exchange.
    package func hearTraffic() {
        hearsTraffic = true
        setVerbose(true)
    }

    /// From now on, until the next request leaves, the client hears of what libcurl reads without
    /// handing it over: the body of a response whose challenge it answers by itself.
    package func hearDiscardedBody() { setProgress(true) }

    /// A socket was opened for a connection.
    func didOpen(_ opened: Int32, _ manner: PortGuard.Manner?) {
        guard let opening = sockets.didOpen(opened, manner) else { return }
        openings.append(opening)
        setConnecting(true)
    }

    /// Notes whether it is connecting, also for those who look at sockets only while some handle
    /// is.
    func setConnecting(_ isConnecting: Bool) {
        guard isConnecting != self.isConnecting else { return }
        self.isConnecting = isConnecting
        sockets.connectingCount += isConnecting ? 1 : -1
    }

    /// Has libcurl work on it soon; of a handle without a connection nothing comes.
    func wake() { unsafe ccurl_easy_wake(pointer) }

    /// The request is about to leave: its head is always heard of.
    func willSendRequest() {
        setConnecting(false)
        setVerbose(true)
    }

    /// The request's head has left.
    func didSendHead() {
        setVerbose(hearsTraffic)
        setProgress(false)
    }

    private func setProgress(_ isHeard: Bool) {
        guard isHeard != hearsDiscardedBody else { return }
        hearsDiscardedBody = isHeard
        // As with the other one, it cannot fail.
        unsafe _ = ccurl_set_long(pointer, CURLOPT_NOPROGRESS, isHeard ? 0 : 1)
    }

    private func setVerbose(_ isVerbose: Bool) {
        guard isVerbose != self.isVerbose else { return }
        self.isVerbose = isVerbose
        // Fails for an option that libcurl does not know, and this one is as old as libcurl.
        unsafe _ = ccurl_set_long(pointer, CURLOPT_VERBOSE, isVerbose ? 1 : 0)
    }

    /// Whether the running exchange goes by a proxy that is spoken to over TLS.
    var proxyIsEncrypted: Bool { proxy?.url.utf8.starts(with: "https:".utf8) == true }

    /// The TLS around that of the connection that was just opened; nil when there is none.
    var outerTLS: UnsafeRawPointer? {
        guard let trust = unsafe trust else { return nil }
        return unsafe ccurl_tls_outer(pointer, trust)
    }

    /// libcurl's own words on the last failure; nil when it left none.
    package var errorDetail: String? {
        let text = unsafe String(cString: errorBuffer)
        return text.isEmpty ? nil : text
    }

    /// The certificate that was refused since the last `prepare`; nil when none was, or OpenSSL is
    /// not there.
    package var certificateFault: CertificateFault? {
        guard let trust = unsafe trust, let fault = unsafe ccurl_trust_fault(trust) else {
            return nil
        }
        return unsafe CertificateFault(fault.pointee)
    }

    /// Whether a server has asked for a client certificate since the last `prepare`.
    package var wasAskedForCertificate: Bool {
        guard let trust = unsafe trust else { return false }
        return unsafe ccurl_trust_was_asked(trust) != 0
    }

    /// Whether the server has not said that it closes the connection of the last request, as TLS
    /// wants it (RFC 8446 §6.1); false without TLS, and when OpenSSL is not there.
    package var lacksCloseNotify: Bool {
        guard let trust = unsafe trust else { return false }
        return unsafe ccurl_trust_lacks_close_notify(trust) != 0
    }
}

// MARK: - Options

extension EasyHandle {
    /// The options that stay the same over all exchanges.
    private func configure() throws(CurlCode) {
        // Safety and errors.
        try setLong(CURLOPT_NOSIGNAL, 1)
        try unsafe CurlCode.check(ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorBuffer))
        try setString(CURLOPT_PROTOCOLS_STR, "http,https")
        try setString(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        // Releases differ in which dot segments they remove: what they are given has none.
        try setLong(CURLOPT_PATH_AS_IS, 1)
        try setLong(CURLOPT_FOLLOWLOCATION, 0)
        try setLong(CURLOPT_FAILONERROR, 0)
        try setLong(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        try setLong(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        try setLong(CURLOPT_UNRESTRICTED_AUTH, 0)
        try setLong(CURLOPT_HTTP09_ALLOWED, 0)
        // A handle whose name is still being resolved would hold up its removal otherwise.
        try setLong(CURLOPT_QUICK_EXIT, 1)

        // Protocol.
        try setProtocol(.http1)
        // A handle that was reset shows none.
        clientCertificate = nil
        try setLong(CURLOPT_HTTP_CONTENT_DECODING, 0)

        // Sizes: measured, 512 KiB takes a large file in little more than half the time of the
        // default.
        try setLong(CURLOPT_BUFFERSIZE, 512 << 10)
        try setLong(CURLOPT_UPLOAD_BUFFERSIZE, 2 << 20)

        // Connections.
        try setLong(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeoutMilliseconds)
        try setLong(CURLOPT_TCP_KEEPALIVE, 1)
        resolvesAnew = false

        // No proxy unless a request names one: an empty text keeps libcurl from the environment.
        try setString(CURLOPT_PROXY, "")
        try setString(CURLOPT_NOPROXY, "")
        proxy = nil

        try configure(configuration.tls)

        // What the client hears. VERBOSE is what makes the debug callback run.
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        try unsafe CurlCode.check(ccurl_set_write(pointer, writeCallback, user))
        try unsafe CurlCode.check(ccurl_set_header(pointer, headerCallback, user))
        try unsafe CurlCode.check(ccurl_set_read(pointer, readCallback, user))
        try unsafe CurlCode.check(ccurl_set_seek(pointer, seekCallback, user))
        try unsafe CurlCode.check(ccurl_set_prereq(pointer, prereqCallback, user))
        try unsafe CurlCode.check(ccurl_set_resolver(pointer, resolverCallback, user))
        try unsafe CurlCode.check(ccurl_set_opensocket(pointer, openSocketCallback, user))
        let table = unsafe Unmanaged.passUnretained(sockets).toOpaque()
        try unsafe CurlCode.check(ccurl_set_closesocket(pointer, closeSocketCallback, table))
        try unsafe CurlCode.check(ccurl_set_progress(pointer, progressCallback, user))
        try unsafe CurlCode.check(ccurl_set_debug(pointer, debugCallback, user))
        try setLong(CURLOPT_VERBOSE, 1)
        isVerbose = true
        hearsDiscardedBody = false
    }

    /// Sets the version of HTTP that is offered.
    ///
    /// With one that has streams, a request waits for a connection that is being opened rather than
    /// opening another.
    private func setProtocol(_ version: HTTPProtocol) throws(CurlCode) {
        let number =
            switch version {
            case .http1: CURL_HTTP_VERSION_1_1
            case .http2: CURL_HTTP_VERSION_2TLS
            case .http3: CURL_HTTP_VERSION_3
            }
        try setLong(CURLOPT_HTTP_VERSION, Int(number))
        try setLong(CURLOPT_PIPEWAIT, version == .http1 ? 0 : 1)
        httpProtocol = version
    }

    private func setCertificate(_ certificate: EasyCertificate?) throws(CurlCode) {
        // What fails half-way must not be taken for what was there before.
        needsReset = true
        try setPath(CURLOPT_SSLCERT, certificate?.certificateFile)
        try setString(CURLOPT_SSLCERTTYPE, certificate?.format.rawValue)
        try setPath(CURLOPT_SSLKEY, certificate?.keyFile)
        // Without any OpenSSL asks for one, at the terminal or on the standard input, and waits for
        // the answer.
        try setString(CURLOPT_KEYPASSWD, certificate.map { $0.password ?? "" })
        clientCertificate = certificate
    }

    private func configure(_ tls: TLSOptions) throws(CurlCode) {
        try setLong(CURLOPT_SSL_VERIFYPEER, tls.isVerified ? 1 : 0)
        try setLong(CURLOPT_SSL_VERIFYHOST, tls.isVerified ? 2 : 0)
        try setLong(CURLOPT_SSLVERSION, tls.versions)
        if let caFile = tls.caFile {
            try setPath(CURLOPT_CAINFO, caFile)
            try setString(CURLOPT_CAPATH, nil)
        }
        if let pins = tls.pinnedPublicKeys { try setString(CURLOPT_PINNEDPUBLICKEY, pins) }
        if let trust = unsafe trust { try unsafe CurlCode.check(ccurl_set_trust(pointer, trust)) }
    }

    private func setMethodAndBody(of request: EasyRequest) throws(CurlCode) {
        let usualMethod: String
        switch request.body {
        case .none where request.method == "HEAD":
            try setLong(CURLOPT_NOBODY, 1)
            usualMethod = "HEAD"
            needsReset = true
        case .none
        where request.method == "POST" || request.method == "PUT" || request.method == "PATCH":
            try setBytes([])
            usualMethod = "POST"
        case .none:
            try setLong(CURLOPT_HTTPGET, 1)
            usualMethod = "GET"
        case .bytes(let bytes):
            try setBytes(bytes)
            usualMethod = "POST"
        case .stream(let size):
            try setLong(CURLOPT_UPLOAD, 1)
            try unsafe CurlCode.check(
                ccurl_set_offset(pointer, CURLOPT_INFILESIZE_LARGE, size.map { Int($0) } ?? -1)
            )
            usualMethod = "PUT"
            needsReset = true
        }
        if request.method != usualMethod { needsReset = true }
        try setString(CURLOPT_CUSTOMREQUEST, request.method == usualMethod ? nil : request.method)
    }

    private func setBytes(_ bytes: [UInt8]) throws(CurlCode) {
        needsReset = true
        try setLong(CURLOPT_POST, 1)
        try unsafe CurlCode.check(
            ccurl_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, bytes.count)
        )
        let pointer = unsafe pointer
        let code = unsafe bytes.withUnsafeBytes { buffer in
            unsafe withUnsafePointer(to: 0 as UInt8) { empty in
                unsafe ccurl_set_pointer(
                    pointer,
                    CURLOPT_COPYPOSTFIELDS,
                    buffer.baseAddress ?? .init(empty)
                )
            }
        }
        try CurlCode.check(code)
    }

    func setLong(_ option: CURLoption, _ value: Int) throws(CurlCode) {
        try unsafe CurlCode.check(ccurl_set_long(pointer, option, value))
    }

    func setString(_ option: CURLoption, _ value: String?) throws(CurlCode) {
        try unsafe CurlCode.check(ccurl_set_string(pointer, option, value))
    }

    /// Sets the path of a file, whose bytes need not be UTF-8.
    func setPath(_ option: CURLoption, _ path: String?) throws(CurlCode) {
        guard let path else { return try setString(option, nil) }
        let code = unsafe path.withSystemText { unsafe ccurl_set_string(pointer, option, $0) }
        try CurlCode.check(code)
    }
}
