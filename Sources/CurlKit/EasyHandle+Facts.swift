internal import CCurl

// What libcurl tells of the last exchange.
extension EasyHandle {
    /// The `errno` of the last call on any socket of this handle that failed (`CURLINFO_OS_ERRNO`);
    /// nil when none has.
    ///
    /// libcurl never clears it: an exchange that failed for another reason, or did not fail, still
    /// finds that of an earlier one here.
    package var lastOSErrno: Int? {
        getLong(CURLINFO_OS_ERRNO).flatMap { $0 == 0 ? nil : $0 }
    }

    /// The absolute URL that a redirect response points to (`CURLINFO_REDIRECT_URL`).
    package var redirectURL: String? {
        var text: UnsafePointer<CChar>?
        guard unsafe ccurl_get_string(pointer, CURLINFO_REDIRECT_URL, &text) == CURLE_OK else {
            return nil
        }
        return unsafe text.map { unsafe String(cString: $0) }
    }

    /// The peer of the last connection that was tried (`CURLINFO_PRIMARY_IP`,
    /// `CURLINFO_PRIMARY_PORT`).
    ///
    /// libcurl 8 tells it of connections only that came about: of another one it is the address
    /// that was tried last.
    package var remoteEndpoint: (address: String, port: Int)? {
        var text: UnsafePointer<CChar>?
        guard unsafe ccurl_get_string(pointer, CURLINFO_PRIMARY_IP, &text) == CURLE_OK,
            let text = unsafe text, unsafe text[0] != 0, let port = getLong(CURLINFO_PRIMARY_PORT)
        else { return triedPeer?.endpoint }
        return (unsafe String(cString: text), port)
    }

    /// What OpenSSL says of a failed certificate check (`CURLINFO_SSL_VERIFYRESULT`); 0 is good.
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

    /// The socket of a connection that was opened since this handle was prepared; nil for another
    /// connection.
    package func socket(of connection: ConnectionFacts) -> ConnectionSocket? {
        guard
            var socket = openings.lazy.compactMap({
                ConnectionSocket($0, in: self.sockets, of: connection)
            }).first
        else { return nil }
        // Only around a tunnel there are two layers.
        if proxyIsEncrypted { unsafe socket.outerTLS = outerTLS }
        return socket
    }

    /// The last connection that was opened since this handle was prepared and is still open.
    package var newestOpening: SocketTable.Opening? {
        openings.last(where: sockets.isOpen)
    }

    /// Ends the connections at once that were opened since this handle was prepared, which is for
    /// the thread that it belongs to: those that no request goes over yet.
    package func resetConnections() {
        for opening in openings where sockets.isOpen(opening) {
            sockets.reset(opening)
        }
    }

    /// The times of the connection being opened; final from `willSendRequest` on.
    package var connectTimes: ConnectTimes {
        ConnectTimes(
            nameLookup: getOffset(CURLINFO_NAMELOOKUP_TIME_T),
            connect: getOffset(CURLINFO_CONNECT_TIME_T),
            appConnect: getOffset(CURLINFO_APPCONNECT_TIME_T)
        )
    }

    /// The TLS of the connection that a request is about to be sent over; nil without TLS, or when
    /// the TLS library is not OpenSSL.
    ///
    /// From then on `lacksCloseNotify` is about this connection.
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

    /// Whether TLS holds bytes that came behind the last response on the current connection; false
    /// without OpenSSL.
    package var hasUnreadTLS: Bool { unsafe ccurl_tls_has_unread(pointer) != 0 }

    /// Whether the current connection carries several streams, whose frames say which request they
    /// are for (HTTP/2, HTTP/3).
    package var hasStreams: Bool {
        // For HTTP/1.1 libcurl chooses none that has.
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
