internal import CCurl
internal import SystemKit

/// One libcurl easy handle with all objects that libcurl points to.
///
/// Belongs to the thread of its multi handle. One session reuses it for many exchanges; each
/// `prepare` sets all options of a request.
@safe package final class EasyHandle {
    /// Receives the exchange's events; set before the handle is added to a multi handle, nil while
    /// idle.
    package var client: (any EasyHandleClient)?

    /// The owner's number for the handle's exchange.
    package var tag = 0

    let pointer: UnsafeMutableRawPointer
    private let options: EasyOptions
    let sockets: SocketTable
    let configuration: EasyConfiguration
    private let errorBuffer: UnsafeMutablePointer<CChar>
    /// Watches TLS: certificate faults and requests, close notifications and layers; nil without
    /// OpenSSL.
    let trust: OpaquePointer?
    /// The parts of the URL, if they are those of http or https; nil without memory.
    private let urlParts: OpaquePointer?
    /// The URL that the handle has; nil after a reset.
    private var url: String?
    /// The target that the handle has instead of that of the URL.
    private var target: String?
    private var headerList: HeaderList?
    /// The configuration's other servers for hosts (`CURLOPT_CONNECT_TO`), a list that libcurl does
    /// not copy; nil without any.
    private let connectTo: HeaderList?
    /// The commands of the last transfer to a file server, which libcurl does not copy.
    private var commands: HeaderList?
    /// Whether the current exchange has requested its file from a file server.
    private var isTransferringFile = false
    /// Whether libcurl calls the debug callback.
    ///
    /// libcurl then also formats unused messages, a tenth of a small transfer's time, so it is not
    /// always enabled.
    private var isVerbose = true
    /// Whether the client receives the current exchange's traffic.
    private var hearsTraffic = true
    /// Whether libcurl calls the progress callback.
    private var hearsDiscardedBody = false
    private var proxy: EasyProxy?
    private(set) var httpProtocol = HTTPProtocol.http1
    private var clientCertificate: EasyCertificate?
    /// The last address for which a socket was opened; nil before the first.
    package internal(set) var triedPeer: SocketAddress?
    /// The sockets opened since `prepare`, some of which may be closed.
    var openings: [SocketTable.Opening] = []
    /// The last socket that libcurl waits for; known only while the multi handle reports dropped
    /// ones.
    var watchedSocket: Int32?
    /// Whether libcurl waits for a socket; known only while the multi handle reports dropped ones.
    package var hasSocket: Bool { watchedSocket != nil }
    /// When the current exchange was handed to libcurl, nanoseconds of the monotonic clock.
    var startTime: Int64 = 0
    /// The connection for the commands of the current transfer at a file server; nil for others.
    private(set) var control: SocketTable.Opening?
    /// Whether the current exchange opened a socket and no request has a connection yet.
    private(set) var isConnecting = false
    /// Whether the current exchange only opens a connection: the multi handle must keep the handle
    /// while the connection is used.
    package private(set) var isConnectOnly = false
    /// Whether libcurl looks up names without its cache.
    private var resolvesAnew = false
    /// The most bytes that libcurl reads at once (`CURLOPT_BUFFERSIZE`).
    private var receiveBufferSize = EasyRequest.largestReceiveBuffer
    /// Whether the last request left a challenge, or options that the next one does not overwrite.
    private var needsReset = false
    /// The length of the last request's body; nil unless libcurl has a copy of it.
    private var copiedBody: Int?
    /// The number of its bytes that the running request has not sent yet.
    private var unsentBody = 0
    private var authentication: EasyAuthentication?

    /// Makes a handle.
    ///
    /// - Parameters:
    ///   - configuration: The options that stay the same for all exchanges.
    ///   - sockets: The table of its multi handle, which tracks connections.
    /// - Throws: `CURLE_FAILED_INIT` without memory; the error of an option.
    package init(configuration: EasyConfiguration, sockets: SocketTable) throws(CurlCode) {
        guard let pointer = unsafe ccurl_easy_init() else { throw CurlCode(CURLE_FAILED_INIT) }
        unsafe self.pointer = unsafe pointer
        options = unsafe EasyOptions(of: pointer)
        self.configuration = configuration
        self.sockets = sockets
        connectTo = configuration.connectTo.isEmpty ? nil : HeaderList(configuration.connectTo)
        unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe trust = unsafe ccurl_trust_new()
        unsafe urlParts = unsafe ccurl_url_new()
        try configure()
    }

    deinit {
        unsafe ccurl_easy_cleanup(pointer)
        if let trust = unsafe trust { unsafe ccurl_trust_release(trust) }
        if let urlParts = unsafe urlParts { unsafe ccurl_url_free(urlParts) }
        unsafe errorBuffer.deallocate()
    }

    @available(*, unavailable)
    private func sendable() -> any Sendable { 0 }

    /// Sets all options of one exchange; the handle must not be in a multi handle.
    package func prepare(_ request: EasyRequest) throws(CurlCode) {
        if let proxy, proxy !== request.proxy, proxy.leavesChallenge { needsReset = true }
        if needsReset, !request.answersChallenge {
            unsafe ccurl_easy_reset(pointer)
            try configure()
            headerList = nil
            commands = nil
            authentication = nil
            needsReset = false
        }
        if authentication != request.authentication {
            try options.setAuthentication(request.authentication)
            authentication = request.authentication
            needsReset = true
        }
        unsafe errorBuffer[0] = 0
        if !openings.isEmpty { openings.removeAll(keepingCapacity: true) }
        if let trust = unsafe trust { unsafe ccurl_trust_clear(trust) }
        hearsTraffic = request.hearsTraffic
        setVerbose(hearsTraffic)
        setProgress(false)
        try setURL(of: request)
        if proxy !== request.proxy {
            try options.setProxy(request.proxy, by: configuration.tls)
            proxy = request.proxy
        }
        if httpProtocol != request.httpProtocol {
            try options.setProtocol(request.httpProtocol)
            httpProtocol = request.httpProtocol
        }
        if clientCertificate != request.clientCertificate {
            // After a failure the previous certificate must not count as set.
            needsReset = true
            try options.setCertificate(request.clientCertificate)
            clientCertificate = request.clientCertificate
        }
        try setMethodAndBody(of: request)
        if request.isConnectOnly {
            needsReset = true
            isConnectOnly = true
            try options.set(CURLOPT_CONNECT_ONLY, 1)
            try options.set(CURLOPT_HTTPPROXYTUNNEL, 1)
            try options.set(CURLOPT_SSL_ENABLE_ALPN, request.offersALPN ? 1 : 0)
        }
        if headerList?.isMade(of: request.headerLines) != true {
            let list = HeaderList(request.headerLines)
            try unsafe CurlCode.check(ccurl_set_list(pointer, CURLOPT_HTTPHEADER, list.pointer))
            headerList = list
        }
        try options.set(CURLOPT_FRESH_CONNECT, request.requiresFreshConnection ? 1 : 0)
        if resolvesAnew != request.resolvesAnew {
            // libcurl's default is one minute.
            try options.set(CURLOPT_DNS_CACHE_TIMEOUT, request.resolvesAnew ? 0 : 60)
            resolvesAnew = request.resolvesAnew
        }
        if receiveBufferSize != request.receiveBufferSize {
            try options.set(CURLOPT_BUFFERSIZE, request.receiveBufferSize)
            receiveBufferSize = request.receiveBufferSize
        }
    }

    private func setURL(of request: EasyRequest) throws(CurlCode) {
        if target != request.target {
            target = nil
            try options.set(CURLOPT_REQUEST_TARGET, request.target)
            target = request.target
        }
        if url == request.url { return }
        url = nil
        let parts = unsafe request.file == nil ? urlParts : nil
        try unsafe CurlCode.check(ccurl_set_url(pointer, parts, request.url))
        url = request.url
    }

    /// Sets the options that only a file server needs.
    private func setFile(of request: EasyRequest) throws(CurlCode) {
        isTransferringFile = false
        control = nil
        guard let file = request.file else { return }
        needsReset = true
        try options.setFileTransfer(file)
        setProgress(true)
        let list = HeaderList(file.commands)
        try unsafe CurlCode.check(ccurl_set_list(pointer, CURLOPT_POSTQUOTE, list.pointer))
        commands = list
    }

    /// Notes that libcurl keeps a response's challenge for the next request.
    package func noteChallenge() { needsReset = true }

    /// Pauses the transfer in both directions until `resume`; may be called by the client.
    ///
    /// libcurl still delivers the rest of the bytes that it has read. An ended transfer stays
    /// ended.
    package func pause() { _ = unsafe ccurl_easy_pause_all(pointer) }

    /// Pauses the body if the present call has delayed other transfers for too long: libcurl calls
    /// back for each chunk, and a peer may send a hundred thousand chunks at once.
    func rest() {
        if sockets.noteRestIfLong(of: tag) { pause() }
    }

    /// Continues a request with a paused body; the multi handle calls its client again.
    package func resume() throws(CurlCode) {
        let code = sockets.call { unsafe CurlCode(ccurl_easy_resume(pointer)) }
        // The transfer has already lost its connection: libcurl 8 reports that, and will report its
        // end.
        if code.rawValue == 43 { return }
        guard code.isOK else { throw code }
    }

    /// Lets the client receive all traffic of the current exchange from now on.
    package func hearTraffic() {
        hearsTraffic = true
        setVerbose(true)
    }

    /// Lets the client follow discarded bodies until the next request: those of challenges that
    /// libcurl answers itself.
    package func hearDiscardedBody() { setProgress(true) }

    /// Registers a socket opened for a connection.
    func didOpen(_ opened: Int32, _ manner: PortGuard.Manner?) {
        guard let opening = sockets.didOpen(opened, manner) else { return }
        openings.append(opening)
        // The second connection of FTP belongs to a running transfer, which may be paused.
        if !isTransferringFile { setConnecting(true) }
    }

    /// Notes whether the handle is connecting, also for the table, which counts connecting handles.
    func setConnecting(_ isConnecting: Bool) {
        guard isConnecting != self.isConnecting else { return }
        self.isConnecting = isConnecting
        sockets.connectingCount += isConnecting ? 1 : -1
    }

    /// Makes libcurl process the handle soon; has no effect without a connection.
    func wake() { unsafe ccurl_easy_wake(pointer) }

    /// Enables the debug callback, which must see the request's head.
    func willSendRequest(from localPort: Int) {
        setConnecting(false)
        isTransferringFile = commands != nil
        if isTransferringFile {
            control =
                openings.last(where: sockets.isOpen)
                ?? sockets.socket(from: localPort).flatMap(sockets.opening)
            if let control { sockets.rememberEnd(of: control) }
            if let trust = unsafe trust { unsafe ccurl_trust_use_next(trust) }
        }
        unsentBody = copiedBody ?? 0
        setVerbose(true)
    }

    /// Restores the callbacks after the request's head, unless its body is still to be heard.
    func didSendHead() {
        setVerbose(hearsTraffic || unsentBody > 0)
        setProgress(commands != nil)
    }

    /// Restores the callbacks after the last byte of a body from memory.
    func didSendBody(count: Int) {
        unsentBody -= count
        if unsentBody <= 0 { setVerbose(hearsTraffic) }
    }

    /// Limits the TLS handshake that begins now at a file server (`CURLOPT_CONNECTTIMEOUT_MS`), for
    /// which libcurl blocks the thread; nil restores the limit of the configuration.
    package func limitHandshake(toMilliseconds limit: Int64?) {
        let most = Int64(configuration.connectTimeoutMilliseconds)
        var time = most
        if let limit {
            // libcurl counts from the beginning of the transfer.
            let begun = (Clock.monotonicNanoseconds() - startTime) / 1_000_000
            time = min(begun + min(max(1, limit), most), Int64(Int32.max))
        }
        unsafe _ = ccurl_set_long(pointer, CURLOPT_CONNECTTIMEOUT_MS, Int(time))
    }

    private func setProgress(_ isHeard: Bool) {
        guard isHeard != hearsDiscardedBody else { return }
        hearsDiscardedBody = isHeard
        // Only an unknown option fails, and this one is as old as libcurl.
        unsafe _ = ccurl_set_long(pointer, CURLOPT_NOPROGRESS, isHeard ? 0 : 1)
    }

    private func setVerbose(_ isVerbose: Bool) {
        guard isVerbose != self.isVerbose else { return }
        self.isVerbose = isVerbose
        // Only an unknown option fails, and this one is as old as libcurl.
        unsafe _ = ccurl_set_long(pointer, CURLOPT_VERBOSE, isVerbose ? 1 : 0)
    }

    /// Whether the current exchange uses a proxy over TLS.
    var proxyIsEncrypted: Bool { proxy?.url.utf8.starts(with: "https:".utf8) == true }

    /// The TLS layer around the new connection's TLS; nil without one.
    var outerTLS: UnsafeRawPointer? {
        guard let trust = unsafe trust else { return nil }
        return unsafe ccurl_tls_outer(pointer, trust)
    }

    /// libcurl's message about the last failure; nil without one.
    package var errorDetail: String? {
        let text = unsafe String(cString: errorBuffer)
        return text.isEmpty ? nil : text
    }

    /// The certificate rejected since `prepare`; nil without one, or without OpenSSL.
    package var certificateFault: CertificateFault? {
        guard let trust = unsafe trust, let fault = unsafe ccurl_trust_fault(trust) else {
            return nil
        }
        return unsafe CertificateFault(fault.pointee)
    }

    /// Whether a server has requested a client certificate since `prepare`.
    package var wasAskedForCertificate: Bool {
        guard let trust = unsafe trust else { return false }
        return unsafe ccurl_trust_was_asked(trust) != 0
    }

    /// Whether a server has requested a client certificate since `prepare`, and has not accepted
    /// the handshake, with or without a certificate.
    ///
    /// In TLS 1.3 the client finishes first; the server accepts the handshake by its next message.
    package var wasShutOut: Bool {
        guard let trust = unsafe trust else { return false }
        return unsafe ccurl_trust_was_shut_out(trust) != 0
    }

    /// The host names and addresses of the last server certificate whose chain was accepted since
    /// `prepare`, as the peer wrote them; empty without one, or without OpenSSL.
    package var certificateNames: [String] {
        guard let trust = unsafe trust else { return [] }
        let capacity = 4096
        let text = unsafe String(unsafeUninitializedCapacity: capacity) { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe start.withMemoryRebound(to: CChar.self, capacity: capacity) {
                Int(unsafe ccurl_trust_names(trust, $0, capacity))
            }
        }
        return text.splitAtBytes("\n").map(String.init)
    }

    /// Whether the server closed the last request's connection, or FTP's connection for a file,
    /// without the close notification of TLS (RFC 8446 §6.1); false without TLS or OpenSSL.
    package var lacksCloseNotify: Bool {
        guard let trust = unsafe trust else { return false }
        return unsafe ccurl_trust_lacks_close_notify(trust) != 0
    }
}

// MARK: - Options

extension EasyHandle {
    /// Sets the options that stay the same for all exchanges.
    private func configure() throws(CurlCode) {
        // Safety and errors.
        try options.set(CURLOPT_NOSIGNAL, 1)
        try unsafe CurlCode.check(ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorBuffer))
        try options.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try options.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        // Releases of libcurl differ in the dot segments that they remove; the given paths have
        // none.
        try options.set(CURLOPT_PATH_AS_IS, 1)
        try options.set(CURLOPT_FOLLOWLOCATION, 0)
        try options.set(CURLOPT_FAILONERROR, 0)
        try options.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        try options.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        try options.set(CURLOPT_UNRESTRICTED_AUTH, 0)
        try options.set(CURLOPT_HTTP09_ALLOWED, 0)
        // Otherwise removing a handle would wait for its name lookup.
        try options.set(CURLOPT_QUICK_EXIT, 1)

        // Protocol.
        try options.setProtocol(.http1)
        httpProtocol = .http1
        copiedBody = nil
        (url, target) = (nil, nil)
        // A reset handle presents no certificate.
        clientCertificate = nil
        isConnectOnly = false
        try options.set(CURLOPT_HTTP_CONTENT_DECODING, 0)

        // Sizes: by measurement, 512 KiB almost halves the time of a large file.
        try options.set(CURLOPT_BUFFERSIZE, EasyRequest.largestReceiveBuffer)
        receiveBufferSize = EasyRequest.largestReceiveBuffer
        try options.set(CURLOPT_UPLOAD_BUFFERSIZE, 2 << 20)

        // Connections.
        try options.set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeoutMilliseconds)
        try options.set(CURLOPT_TCP_KEEPALIVE, 1)
        if let connectTo {
            // With an incomplete list, a request would reach the server of its URL.
            guard connectTo.isComplete else { throw CurlCode(CURLE_OUT_OF_MEMORY) }
            try unsafe CurlCode.check(
                ccurl_set_list(pointer, CURLOPT_CONNECT_TO, connectTo.pointer)
            )
        }
        resolvesAnew = false

        // No proxy unless a request has one: an empty string makes libcurl ignore the environment.
        try options.set(CURLOPT_PROXY, "")
        try options.set(CURLOPT_NOPROXY, "")
        proxy = nil

        try options.setTLS(configuration.tls)
        if let trust = unsafe trust { try unsafe CurlCode.check(ccurl_set_trust(pointer, trust)) }

        // The client's callbacks. VERBOSE enables the debug callback.
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
        try options.set(CURLOPT_VERBOSE, 1)
        isVerbose = true
        hearsDiscardedBody = false
    }

    private func setMethodAndBody(of request: EasyRequest) throws(CurlCode) {
        try setFile(of: request)
        if case .bytes = request.body {
        } else if copiedBody != nil {
            // With a copy, even an empty one, libcurl before 8.7 rewinds no body that it reads.
            try unsafe CurlCode.check(ccurl_set_pointer(pointer, CURLOPT_POSTFIELDS, nil))
            copiedBody = nil
        }
        let usualMethod: String
        switch request.body {
        case .none where request.method == "HEAD":
            try options.set(CURLOPT_NOBODY, 1)
            usualMethod = "HEAD"
            needsReset = true
        case .none
        where request.method == "POST" || request.method == "PUT" || request.method == "PATCH":
            try setBytes([])
            usualMethod = "POST"
        case .none:
            try options.set(CURLOPT_HTTPGET, 1)
            usualMethod = "GET"
        case .bytes(let bytes):
            try setBytes(bytes)
            usualMethod = "POST"
        case .stream(let size):
            try options.set(CURLOPT_UPLOAD, 1)
            try unsafe CurlCode.check(
                ccurl_set_offset(pointer, CURLOPT_INFILESIZE_LARGE, size.map { Int($0) } ?? -1)
            )
            usualMethod = "PUT"
            needsReset = true
        }
        try options.set(CURLOPT_CUSTOMREQUEST, request.method == usualMethod ? nil : request.method)
    }

    private func setBytes(_ bytes: [UInt8]) throws(CurlCode) {
        copiedBody = bytes.count
        try options.set(CURLOPT_POST, 1)
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
}

/// Lines for libcurl, such as those of a request's header: a `curl_slist` that lives as long as
/// this object.
@safe final class HeaderList {
    let lines: [String]
    let pointer: UnsafeMutablePointer<curl_slist>?
    /// Whether the list has all lines; false without memory.
    let isComplete: Bool

    init(_ lines: [String]) {
        self.lines = lines
        var list: UnsafeMutablePointer<curl_slist>?
        var isComplete = true
        for line in lines {
            // Without memory the list stays as it is: a missing line is better than a crash.
            let longer = unsafe line.withCString { unsafe ccurl_slist_append(list, $0) }
            if let longer = unsafe longer {
                unsafe list = longer
            } else {
                isComplete = false
            }
        }
        unsafe pointer = list
        self.isComplete = isComplete
    }

    /// Whether the list has these lines; cheap for the same array.
    func isMade(of others: [String]) -> Bool {
        let isSameArray = unsafe lines.withUnsafeBufferPointer { own in
            unsafe others.withUnsafeBufferPointer { unsafe own.baseAddress == $0.baseAddress }
        }
        return isSameArray && lines.count == others.count
            || lines.elementsEqual(others) { $0.hasSameBytes(as: $1) }
    }

    deinit { unsafe ccurl_slist_free_all(pointer) }
}
