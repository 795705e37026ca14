/// The measurements of one request and response exchange.
///
/// The fields are those of Apple's `URLSessionTaskTransactionMetrics`, with its nil rules: steps
/// that did not happen are nil, and so is every step after an incomplete one
/// (https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics).
package struct TransactionMetrics: Sendable, Hashable {
    /// Why the exchange took place.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        case initial
        case redirect
        /// The same request with the credentials for a challenge.
        case authentication = "auth"
        case retry
        /// The first request to a mirror.
        case mirror
        /// A request for the list of checksums that the task's file is checked against.
        case checksums
        /// A request for the rest of a file that an earlier attempt left incomplete.
        case resume
        /// A request for, or with, the whole body, because the partial one was unusable.
        case restart
        /// A validation of a stored response at the origin.
        case revalidation
        /// The use of a stored response, without the network.
        case cacheHit
        /// The request was repeated within the attempt: its connection ended before a response, or
        /// its server cannot answer before the body, or uses another version of resumable uploads.
        case transparentRetry
        /// The request was repeated over HTTP/1.1 within the attempt: nothing in the response over
        /// HTTP/2 could vouch for the end of its body, and libcurl may report a cut one as
        /// complete.
        case unvouchedBody
        /// A request for a part of a file that several connections fetch at the same time.
        case segment
        /// A query for the server's offset of an upload.
        case uploadOffset
        /// The transfer of a part of an upload.
        case uploadAppend
        /// The cancellation of an upload.
        case uploadCancel
    }

    /// The request as it was sent: method, URL and fields.
    package struct SentRequest: Sendable, Hashable {
        /// The method, such as `GET`.
        package var method: String
        /// The URL of the request; reports redact its secrets.
        package var url: String
        /// The field lines; those of a sent request include the ones that libcurl adds.
        package var headers: HeaderFields

        /// Creates a description of a request.
        package init(method: String, url: String, headers: HeaderFields) {
            self.method = method
            self.url = url
            self.headers = headers
        }
    }

    /// The source of a response.
    package enum ResourceFetchType: String, Sendable, Hashable, CaseIterable {
        case networkLoad
        case localCache
        /// A URL without a server, one of `data` or `file`.
        case local
        /// The program that serves the URL's scheme.
        case program
    }

    /// One end of a connection.
    package struct Endpoint: Sendable, Hashable {
        /// A numeric IPv4 or IPv6 address, without brackets.
        package var address: String
        /// 1 to 65535.
        package var port: Int

        /// Creates one end of a connection.
        package init(address: String, port: Int) {
            self.address = address
            self.port = port
        }
    }

    /// A registered number with its name: a TLS version (0x0304) or cipher suite (0x1302).
    package struct NamedCode: Sendable, Hashable {
        /// The registered number.
        package var raw: Int
        /// The registered name, such as `TLSv1.3`.
        package var name: String

        /// Creates a number with its name.
        package init(raw: Int, name: String) {
            self.raw = raw
            self.name = name
        }
    }

    /// The proxy of a request, and its tunnel (not Apple's).
    package struct Proxy: Sendable, Hashable {
        /// With its port, without credentials.
        package var url: String
        /// The request for a tunnel; nil without one, and on a reused connection.
        package var tunnel: Tunnel?

        /// Creates a proxy without a tunnel; `url` must not have credentials.
        package init(url: String) { self.url = url }
    }

    /// All CONNECT exchanges with a proxy for a tunnel (RFC 9110 §9.3.6), including exchanges that
    /// asked for credentials.
    package struct Tunnel: Sendable, Hashable {
        /// The last response's status; nil without one.
        package var statusCode: Int?
        /// The bytes of all CONNECT requests.
        package var countOfHeaderBytesSent: Int64 = 0
        /// The bytes of all heads that answered them.
        package var countOfHeaderBytesReceived: Int64 = 0

        /// Creates a tunnel that was not requested yet.
        package init() {}
    }

    /// An informational (1xx) response before the final one (RFC 9110 §15.2).
    package struct InformationalResponse: Sendable, Hashable {
        /// 100 to 199.
        package var statusCode: Int
        /// When its head was complete.
        package var date: Timestamp
        /// The upload offset in a 104, bytes; nil without one.
        package var uploadOffset: Int64?
        /// The header fields; none of a 104, whose `Location` is like a secret.
        package var fields: HeaderFields

        /// Creates a note of an informational response.
        package init(
            statusCode: Int,
            date: Timestamp,
            uploadOffset: Int64? = nil,
            fields: HeaderFields = HeaderFields()
        ) {
            self.statusCode = statusCode
            self.date = date
            self.uploadOffset = uploadOffset
            self.fields = fields
        }
    }

    /// The interface of an exchange, in a session or task with a network policy.
    package struct Path: Sendable, Hashable {
        /// How the runner excluded forbidden interfaces.
        package enum Enforcement: String, Sendable, Hashable, CaseIterable {
            /// The socket is bound to the interface (SO_BINDTODEVICE).
            case device
            /// The route and the interface of the connection's local address were checked.
            case route
        }

        /// The interface's name.
        package var interface: String
        /// nil if unknown, like `isExpensive`.
        package var isCellular: Bool?
        /// Whether use of the interface is paid for by the amount of data; nil if unknown.
        package var isExpensive: Bool?
        /// Whether the interface is to carry as little data as possible.
        package var isConstrained: Bool
        /// nil when no interface is forbidden.
        package var enforcement: Enforcement?

        /// Creates a description of an interface.
        package init(
            interface: String,
            isCellular: Bool?,
            isExpensive: Bool?,
            isConstrained: Bool,
            enforcement: Enforcement?
        ) {
            self.interface = interface
            self.isCellular = isCellular
            self.isExpensive = isExpensive
            self.isConstrained = isConstrained
            self.enforcement = enforcement
        }
    }

    /// From 1.
    package var attempt: Int
    /// Why the exchange took place.
    package var reason: Reason
    /// The request as it was sent.
    package var request: SentRequest
    /// The head of the final response; nil when no complete head arrived.
    package var response: ResponseHead?
    /// Whether the response came from the network or the cache.
    package var resourceFetchType = ResourceFetchType.networkLoad

    /// Just before the request goes to libcurl.
    package var fetchStartDate: Timestamp
    /// Just before the name lookup.
    package var domainLookupStartDate: Timestamp?
    /// Just after the name lookup (`CURLINFO_NAMELOOKUP_TIME_T`).
    package var domainLookupEndDate: Timestamp?
    /// Just before the TCP connect.
    package var connectStartDate: Timestamp?
    /// Just before the TLS handshake.
    package var secureConnectionStartDate: Timestamp?
    /// Just after the TLS handshake (`CURLINFO_APPCONNECT_TIME_T`).
    package var secureConnectionEndDate: Timestamp?
    /// The connection is ready, TLS included.
    package var connectEndDate: Timestamp?
    /// Just before the first byte of the request.
    package var requestStartDate: Timestamp?
    /// Just after the last byte of the request.
    package var requestEndDate: Timestamp?
    /// First byte of the final response.
    package var responseStartDate: Timestamp?
    /// Just after the last byte of the response.
    package var responseEndDate: Timestamp?

    /// The bytes of the request's head on the wire.
    package var countOfRequestHeaderBytesSent: Int64 = 0
    /// The body bytes on the wire, with framing, transfer and content coding.
    package var countOfRequestBodyBytesSent: Int64 = 0
    /// The body bytes as the task gave them.
    package var countOfRequestBodyBytesBeforeEncoding: Int64 = 0
    /// The bytes of the final response's head on the wire.
    package var countOfResponseHeaderBytesReceived: Int64 = 0
    /// The body bytes on the wire, with framing, transfer and content coding.
    package var countOfResponseBodyBytesReceived: Int64 = 0
    /// The body bytes delivered to the task.
    package var countOfResponseBodyBytesAfterDecoding: Int64 = 0

    /// The ALPN name: `http/1.1`, `h2`.
    package var networkProtocolName: String?
    /// The peer's end of the connection: that of the proxy, if there is one.
    package var remoteEndpoint: Endpoint?
    /// This machine's end of the connection.
    package var localEndpoint: Endpoint?
    /// The TLS version of the connection; nil without TLS.
    package var negotiatedTLSProtocolVersion: NamedCode?
    /// The cipher suite of the connection; nil without TLS.
    package var negotiatedTLSCipherSuite: NamedCode?
    /// The session's trust over TLS; nil without TLS (not Apple's).
    package var serverTrust: TLSConfiguration.ServerTrust?
    /// nil for a direct connection.
    package var proxy: Proxy?
    /// Whether the connection leads to a proxy.
    package var isProxyConnection: Bool { proxy != nil }
    /// Whether an earlier exchange had used the connection.
    package var isReusedConnection = false
    /// Whether both ends use Multipath TCP (RFC 8684).
    package var isMultipath = false
    /// nil when the interface was not determined.
    package var path: Path?

    /// A number that identifies a reused connection; nil without one (not Apple's).
    package var connectionIdentifier: Int?
    /// The end of the TCP connect, before TLS (not Apple's).
    package var tcpConnectEndDate: Timestamp?
    /// The first `maximumInformationalResponses` informational responses, in order (not Apple's).
    package var informationalResponses: [InformationalResponse] = []
    /// The bytes of all informational heads, not included in `countOfResponseHeaderBytesReceived`
    /// (not Apple's).
    package var countOfInformationalBytesReceived: Int64 = 0
    /// How long the session's bandwidth made the exchange wait, microseconds; nil when it did not
    /// (not Apple's).
    package var bandwidthWaitMicroseconds: Int64?
    /// libcurl's code for the failure that ended this exchange (not Apple's).
    package var curlCode: Int?
    /// The `errno` of the failure that ended this exchange; nil if unknown (not Apple's).
    package var osErrno: Int?

    /// The most informational responses in a record: a server may send any number.
    package static let maximumInformationalResponses = 32

    /// Whether the exchange was one of several streams on its connection.
    package var hasStreams: Bool { networkProtocolName == "h2" || networkProtocolName == "h3" }

    /// Creates the record of an exchange that begins at `fetchStartDate`.
    package init(attempt: Int, reason: Reason, request: SentRequest, fetchStartDate: Timestamp) {
        self.attempt = attempt
        self.reason = reason
        self.request = request
        self.fetchStartDate = fetchStartDate
    }
}
