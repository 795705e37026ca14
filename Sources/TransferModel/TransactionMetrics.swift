/// What was measured of one request and response exchange.
///
/// The fields are those of Apple's `URLSessionTaskTransactionMetrics`, with its nil rules: what did
/// not happen is nil, and so is everything after a step that did not complete
/// (https://developer.apple.com/documentation/foundation/urlsessiontasktransactionmetrics).
package struct TransactionMetrics: Sendable, Hashable {
    /// Why the exchange took place.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        case initial
        case redirect
        /// The same request again, with what a challenge asked for.
        case authentication = "auth"
        case retry
        /// A mirror is asked for the first time.
        case mirror
        /// The list of checksums is fetched that the task's file is held against.
        case checksums
        /// The rest of a file is asked for, of which an earlier attempt has left a part.
        case resume
        /// Everything is asked for, or sent, because what was there was of no use.
        case restart
        /// The origin is asked whether a stored response still holds.
        case revalidation
        /// A stored response is used, without the network.
        case cacheHit
        /// The request was sent again within the attempt: its connection had ended before an
        /// answer, or its server cannot be asked before the body is sent, or speaks another version
        /// of resumable uploads.
        case transparentRetry
        /// The server is asked how much it has of an upload.
        case uploadOffset
        /// A part of an upload is sent.
        case uploadAppend
        /// An upload is given up.
        case uploadCancel
    }

    /// The request as it was sent: method, URL and fields.
    package struct SentRequest: Sendable, Hashable {
        package var method: String
        package var url: String
        package var headers: HeaderFields

        package init(method: String, url: String, headers: HeaderFields) {
            self.method = method
            self.url = url
            self.headers = headers
        }
    }

    /// Where a response came from.
    package enum ResourceFetchType: String, Sendable, Hashable, CaseIterable {
        case networkLoad
        case localCache
    }

    /// One end of a connection.
    package struct Endpoint: Sendable, Hashable {
        /// A numeric IPv4 or IPv6 address, without brackets.
        package var address: String
        package var port: Int

        package init(address: String, port: Int) {
            self.address = address
            self.port = port
        }
    }

    /// A number from a registry with its name: a TLS version (0x0304) or cipher suite (0x1302).
    package struct NamedCode: Sendable, Hashable {
        package var raw: Int
        package var name: String

        package init(raw: Int, name: String) {
            self.raw = raw
            self.name = name
        }
    }

    /// A proxy that a request goes through, and what making a tunnel took (not Apple's).
    package struct Proxy: Sendable, Hashable {
        /// With its port, without user and password.
        package var url: String
        package var tunnel: Tunnel?

        package init(url: String) { self.url = url }
    }

    /// The exchanges by which a proxy was asked for a tunnel (CONNECT, RFC 9110 §9.3.6); all of
    /// them, when it asked for credentials first.
    package struct Tunnel: Sendable, Hashable {
        /// Of the last answer; nil when there was none.
        package var statusCode: Int?
        package var countOfHeaderBytesSent: Int64 = 0
        package var countOfHeaderBytesReceived: Int64 = 0

        package init() {}
    }

    /// A response that only informs (1xx) and comes before the final one (RFC 9110 §15.2).
    package struct InformationalResponse: Sendable, Hashable {
        package var statusCode: Int
        /// When its head was whole.
        package var date: Timestamp
        /// How much of an upload a 104 says that the server has, bytes; nil when it does not.
        package var uploadOffset: Int64?

        package init(statusCode: Int, date: Timestamp, uploadOffset: Int64? = nil) {
            self.statusCode = statusCode
            self.date = date
            self.uploadOffset = uploadOffset
        }
    }

    /// The interface that an exchange went over, in a session or task that has to know it.
    package struct Path: Sendable, Hashable {
        /// How a forbidden interface was kept from being used.
        package enum Enforcement: String, Sendable, Hashable, CaseIterable {
            /// The socket is bound to the interface (SO_BINDTODEVICE).
            case device
            /// The route was looked at, and the interface of the connection's own address.
            case route
        }

        /// Its name.
        package var interface: String
        /// nil when nobody knows, as with the other one.
        package var isCellular: Bool?
        package var isExpensive: Bool?
        package var isConstrained: Bool
        /// nil when nothing is forbidden.
        package var enforcement: Enforcement?

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
    package var reason: Reason
    package var request: SentRequest
    package var response: ResponseHead?
    package var resourceFetchType = ResourceFetchType.networkLoad

    /// Just before the request is handed to libcurl.
    package var fetchStartDate: Timestamp
    package var domainLookupStartDate: Timestamp?
    package var domainLookupEndDate: Timestamp?
    package var connectStartDate: Timestamp?
    package var secureConnectionStartDate: Timestamp?
    package var secureConnectionEndDate: Timestamp?
    /// The connection is ready, TLS included.
    package var connectEndDate: Timestamp?
    package var requestStartDate: Timestamp?
    package var requestEndDate: Timestamp?
    /// First byte of the final response.
    package var responseStartDate: Timestamp?
    package var responseEndDate: Timestamp?

    package var countOfRequestHeaderBytesSent: Int64 = 0
    package var countOfRequestBodyBytesSent: Int64 = 0
    package var countOfRequestBodyBytesBeforeEncoding: Int64 = 0
    package var countOfResponseHeaderBytesReceived: Int64 = 0
    package var countOfResponseBodyBytesReceived: Int64 = 0
    package var countOfResponseBodyBytesAfterDecoding: Int64 = 0

    /// The ALPN name: `http/1.1`, `h2`.
    package var networkProtocolName: String?
    package var remoteEndpoint: Endpoint?
    package var localEndpoint: Endpoint?
    package var negotiatedTLSProtocolVersion: NamedCode?
    package var negotiatedTLSCipherSuite: NamedCode?
    /// Whom the session trusts over TLS; nil without TLS (not Apple's).
    package var serverTrust: TLSConfiguration.ServerTrust?
    /// nil when the origin was asked directly.
    package var proxy: Proxy?
    package var isProxyConnection: Bool { proxy != nil }
    package var isReusedConnection = false
    /// Whether both ends speak Multipath TCP (RFC 8684).
    package var isMultipath = false
    /// nil where nobody asked which interface it is.
    package var path: Path?

    /// A number that stays the same while one connection is reused; nil when none was used (not
    /// Apple's).
    package var connectionIdentifier: Int?
    /// TCP is connected, TLS is not yet (not Apple's).
    package var tcpConnectEndDate: Timestamp?
    /// The first of the informational responses, in order: at most `maximumInformationalResponses`
    /// (not Apple's).
    package var informationalResponses: [InformationalResponse] = []
    /// The heads of all informational responses, bytes; they are not part of
    /// `countOfResponseHeaderBytesReceived` (not Apple's).
    package var countOfInformationalBytesReceived: Int64 = 0
    /// The failure that ended this exchange, as libcurl's number (not Apple's).
    package var curlCode: Int?
    package var osErrno: Int?

    /// How many informational responses a record lists: a server may send them without end.
    package static let maximumInformationalResponses = 32

    /// Whether the exchange was one stream of many on its connection.
    package var hasStreams: Bool { networkProtocolName == "h2" || networkProtocolName == "h3" }

    package init(attempt: Int, reason: Reason, request: SentRequest, fetchStartDate: Timestamp) {
        self.attempt = attempt
        self.reason = reason
        self.request = request
        self.fetchStartDate = fetchStartDate
    }
}
