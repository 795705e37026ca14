/// What happens on an easy handle while it performs, as its owner sees it.
///
/// Called on the thread that drives the handle, from inside libcurl: an implementation must not
/// block and must not add or remove handles. Spans are valid during the call only.
package protocol EasyHandleClient: AnyObject {
    /// A name is about to be resolved (`CURLOPT_RESOLVER_START_FUNCTION`).
    func didStartResolving()
    /// A socket is about to be opened (`CURLOPT_OPENSOCKETFUNCTION`); nil refuses this address, and
    /// libcurl tries the next one.
    func willOpenSocket(to peer: SocketAddress) -> SocketOptions?
    /// A socket was bound to the device that was asked for, or was not; false refuses this address.
    func didBind(_ binding: SocketBinding) -> Bool
    /// A connection is ready and a request is about to be sent (`CURLOPT_PREREQFUNCTION`); false
    /// ends the transfer.
    func willSendRequest(over connection: ConnectionFacts) -> Bool
    /// The head of a request has left, with its request line (`CURLINFO_HEADER_OUT`); before
    /// `willSendRequest` it is one that asks a proxy for a tunnel.
    func didSendHead(_ bytes: Span<UInt8>)
    /// Other bytes went through the connection (`CURLOPT_DEBUGFUNCTION`); told of while traffic is
    /// heard.
    func didTransfer(_ traffic: Traffic, count: Int)
    /// One line of a response head or trailer, its line end included; false ends the transfer.
    /// Before `willSendRequest` it is of a proxy's answer to being asked for a tunnel.
    func didReceiveHeader(_ line: Span<UInt8>) -> Bool
    /// A piece of the body; false ends the transfer.
    func didReceiveBody(_ bytes: Span<UInt8>) -> Bool
    /// libcurl has thrown bytes away that came behind the end of a response (`CURLINFO_TEXT`); told
    /// of while traffic is heard.
    func didDropExcess()
    /// More has perhaps come of a body that libcurl throws away (`CURLOPT_XFERINFOFUNCTION`); false
    /// ends the transfer.
    ///
    /// Called after `EasyHandle.hearDiscardedBody` only, until the next request leaves: at least
    /// once for each piece that was read. `received` is how many bytes of the response's body there
    /// have been; 0 before `willSendRequest`, where a piece is one byte.
    func mayDiscard(received: Int64) -> Bool
    /// Asks for the next piece of the request body.
    func readBody(into buffer: inout MutableRawSpan) -> BodyRead
    /// Asks to begin the request body anew; false when that cannot be done.
    func rewindBody() -> Bool
}

/// What went through a connection, before decryption and after.
package enum Traffic: Sendable, Hashable {
    case bodySent
    case bodyReceived
    /// Bytes of the TLS layer, handshake included.
    case tlsSent
}

/// An answer to a request for body bytes.
package enum BodyRead: Sendable, Hashable {
    /// So many bytes were put into the buffer; 0 is the end.
    case bytes(Int)
    /// There is nothing now: sending pauses until `EasyHandle.resume`.
    case paused
    /// The body cannot be read: the transfer ends.
    case failed
}

/// What is known of a connection when a request is about to be sent over it.
package struct ConnectionFacts: Sendable, Hashable {
    package var remoteAddress: String
    package var remotePort: Int
    package var localAddress: String
    package var localPort: Int

    /// By our own port, which most connections share with no other.
    package func hash(into hasher: inout Hasher) { hasher.combine(localPort) }
}

/// The TLS of a connection, numbers as in the IANA registries.
package struct TLSFacts: Sendable, Hashable {
    /// Such as 0x0304.
    package var version: Int
    /// Such as 0x1302.
    package var cipherSuite: Int
    package var cipherSuiteName: String
    /// Whether the server has chosen one of the versions of HTTP that it was offered (ALPN).
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

/// How long the steps of opening a connection took, microseconds since libcurl began with it
/// (`CURLINFO_*_TIME_T`); zero for a step that was not taken.
package struct ConnectTimes: Sendable, Hashable {
    package var nameLookup: Int64
    package var connect: Int64
    package var appConnect: Int64
}
