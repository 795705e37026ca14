internal import CCurl

// The properties of the last exchange.
extension EasyHandle {
    /// The `errno` of the last failed socket call of this handle (`CURLINFO_OS_ERRNO`); nil for
    /// none.
    ///
    /// libcurl never clears it, so another kind of failure, or success, leaves an earlier
    /// exchange's value here.
    package var lastOSErrno: Int? {
        getLong(CURLINFO_OS_ERRNO).flatMap { $0 == 0 ? nil : $0 }
    }

    /// The absolute URL of a redirect from `url`, as libcurl reads a `Location`, whose bytes may
    /// need escapes; `Location` itself when it is no reference.
    package static func redirectURL(from url: String, to location: ArraySlice<UInt8>) -> String {
        let target = unsafe (location + [0]).withUnsafeBytes { bytes in
            unsafe ccurl_resolve(url, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        guard let target = unsafe target else { return String(decoding: location, as: UTF8.self) }
        defer { unsafe ccurl_free(target) }
        return unsafe String(cString: target)
    }

    /// The peer of the last attempted connection (`CURLINFO_PRIMARY_IP`, `CURLINFO_PRIMARY_PORT`).
    ///
    /// libcurl 8 reports only established connections; otherwise this is the last attempted
    /// address.
    package var remoteEndpoint: (address: String, port: Int)? {
        var text: UnsafePointer<CChar>?
        guard unsafe ccurl_get_string(pointer, CURLINFO_PRIMARY_IP, &text) == CURLE_OK,
            let text = unsafe text, unsafe text[0] != 0, let port = getLong(CURLINFO_PRIMARY_PORT)
        else { return triedPeer?.endpoint }
        return (unsafe String(cString: text), port)
    }

    /// OpenSSL's certificate verification result (`CURLINFO_SSL_VERIFYRESULT`); 0 is success.
    package var certificateVerifyResult: Int {
        getLong(CURLINFO_SSL_VERIFYRESULT) ?? 0
    }

    /// The ALPN name of the protocol of the last response (`CURLINFO_HTTP_VERSION`).
    package var networkProtocolName: String? {
        switch getLong(CURLINFO_HTTP_VERSION) {
        case CURL_HTTP_VERSION_1_0: "http/1.0"
        case CURL_HTTP_VERSION_1_1: "http/1.1"
        case CURL_HTTP_VERSION_2_0: "h2"
        case CURL_HTTP_VERSION_3: "h3"
        default: nil
        }
    }

    /// When the file of a file server was modified, seconds since 1970 (`CURLINFO_FILETIME_T`); nil
    /// if the server does not say.
    package var fileTime: Int64? {
        let time = getOffset(CURLINFO_FILETIME_T)
        return time == -1 ? nil : time
    }

    /// The announced length of the body (`CURLINFO_CONTENT_LENGTH_DOWNLOAD_T`); nil if unknown.
    package var announcedLength: Int64? {
        let length = getOffset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        return length < 0 ? nil : length
    }

    /// The proxy's error instead of a connection (`CURLINFO_PROXY_ERROR`, a `CURLproxycode`); 0 for
    /// none.
    package var proxyErrorCode: Int { getLong(CURLINFO_PROXY_ERROR) ?? 0 }

    /// The socket of a connection opened since `prepare`; nil for another connection.
    package func socket(of connection: ConnectionFacts) -> ConnectionSocket? {
        guard
            var socket = openings.lazy.compactMap({
                ConnectionSocket($0, in: self.sockets, of: connection)
            }).first
        else { return nil }
        // Only a tunnel through a TLS proxy has two layers.
        if proxyIsEncrypted { unsafe socket.outerTLS = outerTLS }
        return socket
    }

    /// The last connection opened since `prepare` that is still open.
    package var newestOpening: SocketTable.Opening? {
        openings.last(where: sockets.isOpen)
    }

    /// Whether the watch of the thread has reset a connection opened since `prepare`.
    package var hasCutConnection: Bool { openings.contains(where: sockets.hasCut) }

    /// Resets the connections opened since `prepare`, whatever they carry; call it on the handle's
    /// thread.
    package func resetConnections() {
        for opening in openings where sockets.isOpen(opening) {
            sockets.reset(opening)
        }
    }

    /// Resets the connections of an unfinished transfer at a file server; call it on the handle's
    /// thread before the handle is removed, or in a callback that ends the transfer.
    ///
    /// libcurl would tell the server that the transfer ends, and wait for the reply without limit.
    package func resetFileTransfer() {
        resetConnections()
        if let control, sockets.isOpen(control) { sockets.reset(control) }
    }

    /// Whether a file server kept the connection for its commands until libcurl closed it; call it
    /// when the transfer has ended.
    package var hasKeptControl: Bool { control.map(sockets.isKept) ?? false }

    /// The times of the connection in progress; final from `willSendRequest` on.
    package var connectTimes: ConnectTimes {
        ConnectTimes(
            nameLookup: getOffset(CURLINFO_NAMELOOKUP_TIME_T),
            connect: getOffset(CURLINFO_CONNECT_TIME_T),
            appConnect: getOffset(CURLINFO_APPCONNECT_TIME_T)
        )
    }

    /// The TLS of the connection for the next request; nil without TLS or OpenSSL.
    ///
    /// From then on `lacksCloseNotify` refers to this connection.
    package func useTLS() -> TLSFacts? {
        var version: Int32 = 0
        var suite: UInt32 = 0
        var name: UnsafePointer<CChar>?
        var session: UnsafeRawPointer?
        var hasProtocol: Int32 = 0
        guard
            unsafe ccurl_tls_facts(pointer, &version, &suite, &name, &session, &hasProtocol) == 1
        else { return nil }
        if let trust = unsafe trust { unsafe ccurl_trust_use(trust, session) }
        return TLSFacts(
            version: Int(version),
            cipherSuite: Int(suite),
            cipherSuiteName: unsafe name.map { unsafe String(cString: $0) } ?? "unknown",
            hasChosenProtocol: hasProtocol != 0
        )
    }

    /// Whether TLS has unread bytes after the last response on the connection; false without
    /// OpenSSL.
    package var hasUnreadTLS: Bool { unsafe ccurl_tls_has_unread(pointer) != 0 }

    /// Whether the connection carries several streams with marked frames (HTTP/2, HTTP/3).
    package var hasStreams: Bool {
        // For HTTP/1.1, libcurl never chooses a connection with streams.
        guard httpProtocol != .http1 else { return false }
        return unsafe ccurl_tls_has_streams(pointer) != 0
    }

    func getLong(_ info: CURLINFO) -> Int? {
        var value = 0
        return unsafe ccurl_get_long(pointer, info, &value) == CURLE_OK ? value : nil
    }

    private func getOffset(_ info: CURLINFO) -> Int64 {
        var value = 0
        return unsafe ccurl_get_offset(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
    }
}

/// The socket of a connection, for use on its own thread.
@safe package struct ConnectionSocket {
    private let opening: SocketTable.Opening
    /// OpenSSL's object for the proxy's TLS around the connection's; it lives as long as the open
    /// socket.
    var outerTLS: UnsafeRawPointer?
    private let table: SocketTable

    /// nil when the socket does not belong to the connection.
    init?(_ opening: SocketTable.Opening, in table: SocketTable, of connection: ConnectionFacts) {
        guard table.isOpen(opening),
            SocketOptions.isSocket(opening.socket, from: connection.localPort)
        else { return nil }
        (self.opening, self.table) = (opening, table)
    }

    /// Whether the connection is open; after that its descriptor may belong to another socket.
    package var isOpen: Bool { table.isOpen(opening) }

    /// The number of the interface that the socket is bound to; 0 for none.
    package var boundInterface: Int32 { isOpen ? SocketOptions.boundInterface(opening.socket) : 0 }

    /// Whether the socket uses UDP instead of TCP, as HTTP/3 does.
    package var isDatagram: Bool { isOpen && SocketOptions.isDatagram(opening.socket) }

    /// Whether both ends of the connection use Multipath TCP (RFC 8684).
    package var isMultipath: Bool { isOpen && SocketOptions.isMultipath(opening.socket) }

    /// Whether the peer has neither sent unread bytes nor closed the connection; one system call.
    package var isSilent: Bool {
        guard isOpen, SocketOptions.isSilent(opening.socket) else { return false }
        return unsafe outerTLS.map { unsafe ccurl_ssl_has_unread($0) == 0 } ?? true
    }

    /// Resets the connection: the kernel drops unsent bytes and sends the peer one packet (RST).
    package func reset() {
        if isOpen { table.reset(opening) }
    }
}
