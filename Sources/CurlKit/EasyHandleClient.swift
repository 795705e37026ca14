/// Receives the events of an easy handle's exchange.
///
/// Called on the handle's thread, from inside libcurl: an implementation must not block and must
/// not add or remove handles. Spans are valid during the call only.
package protocol EasyHandleClient: AnyObject {
    /// A name is about to be resolved (`CURLOPT_RESOLVER_START_FUNCTION`).
    func didStartResolving()
    /// A socket is about to be opened (`CURLOPT_OPENSOCKETFUNCTION`); nil rejects this address, and
    /// libcurl tries the next one.
    func willOpenSocket(to peer: SocketAddress) -> SocketOptions?
    /// A socket was bound to the requested device or not; false rejects this address.
    func didBind(_ binding: SocketBinding) -> Bool
    /// A connection is ready and a request is about to be sent (`CURLOPT_PREREQFUNCTION`); false
    /// ends the transfer.
    func willSendRequest(over connection: ConnectionFacts) -> Bool
    /// The head of a request was sent, with its request line (`CURLINFO_HEADER_OUT`); before
    /// `willSendRequest` it is a CONNECT request.
    func didSendHead(_ bytes: Span<UInt8>)
    /// Other bytes went through the connection (`CURLOPT_DEBUGFUNCTION`); called after
    /// `hearTraffic` only.
    func didTransfer(_ traffic: Traffic, count: Int)
    /// One line of a response head or trailer with its line end; false ends the transfer. Before
    /// `willSendRequest` it belongs to the response to CONNECT.
    func didReceiveHeader(_ line: Span<UInt8>) -> Bool
    /// A piece of the body.
    func didReceiveBody(_ bytes: Span<UInt8>) -> BodyTake
    /// libcurl discarded bytes after the end of a response (`CURLINFO_TEXT`); called after
    /// `hearTraffic` only.
    func didDropExcess()
    /// libcurl may have discarded more of a body (`CURLOPT_XFERINFOFUNCTION`); false ends the
    /// transfer.
    ///
    /// Called after `EasyHandle.hearDiscardedBody` until the next request is sent: at least once
    /// for each piece read. `received` counts the bytes of the response body so far; before
    /// `willSendRequest` it is 0 and a piece is one byte.
    func mayDiscard(received: Int64) -> Bool
    /// Asks for the next piece of the request body.
    func readBody(into buffer: inout MutableRawSpan) -> BodyRead
    /// Asks to restart the request body; false when that is impossible.
    func rewindBody() -> Bool
}

/// The traffic of a connection, before decryption and after.
package enum Traffic: Sendable, Hashable {
    case bodySent
    case bodyReceived
    /// Bytes of the TLS layer, handshake included.
    case tlsSent
}

/// The client's answer to a piece of the response body.
package enum BodyTake: Sendable, Hashable {
    case taken
    /// libcurl keeps the piece and reads no more until `EasyHandle.resume` delivers it again.
    case paused
    /// The transfer ends.
    case failed
}

/// The client's answer to a request for body bytes.
package enum BodyRead: Sendable, Hashable {
    /// The number of bytes in the buffer; 0 means the end.
    case bytes(Int)
    /// No bytes yet: sending pauses until `EasyHandle.resume`.
    case paused
    /// The body cannot be read, so the transfer ends.
    case failed
}

/// The properties of the connection for a request.
package struct ConnectionFacts: Sendable, Hashable {
    /// The numeric address of the server or the proxy (`CURLINFO_PRIMARY_IP`).
    package var remoteAddress: String
    /// The port of the server or the proxy (`CURLINFO_PRIMARY_PORT`).
    package var remotePort: Int
    /// The numeric address of this machine's end (`CURLINFO_LOCAL_IP`).
    package var localAddress: String
    /// The port of this machine's end (`CURLINFO_LOCAL_PORT`).
    package var localPort: Int

    /// Hashes only the local port, which few connections share.
    package func hash(into hasher: inout Hasher) { hasher.combine(localPort) }
}

/// The TLS of a connection, numbers as in the IANA registries.
package struct TLSFacts: Sendable, Hashable {
    /// Such as 0x0304.
    package var version: Int
    /// Such as 0x1302.
    package var cipherSuite: Int
    /// The suite's registered name, such as `TLS_AES_256_GCM_SHA384`.
    package var cipherSuiteName: String
    /// Whether the server chose one of the offered HTTP versions (ALPN).
    package var hasChosenProtocol: Bool

    /// The version's name in RFC 8446 and RFC 5246.
    package var versionName: String {
        switch version {
        case 0x0301: "TLSv1.0"
        case 0x0302: "TLSv1.1"
        case 0x0303: "TLSv1.2"
        case 0x0304: "TLSv1.3"
        default: "unknown"
        }
    }
}

/// The durations of opening a connection, microseconds since libcurl started (`CURLINFO_*_TIME_T`);
/// 0 for skipped steps.
package struct ConnectTimes: Sendable, Hashable {
    /// Until the name was resolved (`CURLINFO_NAMELOOKUP_TIME_T`).
    package var nameLookup: Int64
    /// Until TCP was connected (`CURLINFO_CONNECT_TIME_T`).
    package var connect: Int64
    /// Until the TLS handshake was complete (`CURLINFO_APPCONNECT_TIME_T`).
    package var appConnect: Int64
}
