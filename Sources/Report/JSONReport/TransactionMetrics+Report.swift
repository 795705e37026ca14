internal import TransferModel

extension TransactionMetrics {
    /// One exchange, in the words of Apple's `URLSessionTaskTransactionMetrics`.
    static let report = ReportObject<TransactionMetrics>(
        "transactionMetrics",
        "One request and response exchange, as URLSessionTaskTransactionMetrics; what did not happen is null, and so is everything after a step that did not complete",
        exchangeFields + dateFields + countFields + connectionFields + pathFields
            + [
                .group("extension", "What Apple's metrics do not have", extensionReport)
            ]
    )

    private static let exchangeFields: [ReportField<TransactionMetrics>] = [
        .integer(
            "attempt",
            "The attempt that the exchange belongs to, from 1",
            .integer(1...Int64.max)
        ) { Int64($0.attempt) },
        .name("reason", "Why the exchange took place") { $0.reason },
        .object("request", "The request as it was sent", SentRequest.report) { $0.request },
        .optionalObject(
            "response",
            "The final response; null when no complete head arrived",
            ResponseHead.report
        ) { $0.response },
        .constant(
            "resourceFetchType",
            "Where the response came from",
            "networkLoad",
            of: ["unknown", "networkLoad", "serverPush", "localCache"]
        ),
    ]

    private static let dateFields: [ReportField<TransactionMetrics>] = [
        .date("fetchStartDate", "Just before the request is handed to libcurl") {
            $0.fetchStartDate
        },
        .optionalDate("domainLookupStartDate", "Just before the name lookup") {
            $0.domainLookupStartDate
        },
        .optionalDate("domainLookupEndDate", "Just after the name lookup") {
            $0.domainLookupEndDate
        },
        .optionalDate("connectStartDate", "Just before the TCP connect") {
            $0.connectStartDate
        },
        .optionalDate("secureConnectionStartDate", "Just before the TLS handshake") {
            $0.secureConnectionStartDate
        },
        .optionalDate("secureConnectionEndDate", "Just after the TLS handshake") {
            $0.secureConnectionEndDate
        },
        .optionalDate("connectEndDate", "The connection is ready, TLS included") {
            $0.connectEndDate
        },
        .optionalDate("requestStartDate", "Just before the first byte of the request") {
            $0.requestStartDate
        },
        .optionalDate("requestEndDate", "Just after the last byte of the request") {
            $0.requestEndDate
        },
        .optionalDate("responseStartDate", "The first byte of the final response") {
            $0.responseStartDate
        },
        .optionalDate("responseEndDate", "The last byte of the response") {
            $0.responseEndDate
        },
    ]

    private static let countFields: [ReportField<TransactionMetrics>] = [
        .integer("countOfRequestHeaderBytesSent", "Bytes of the request's head on the wire") {
            $0.countOfRequestHeaderBytesSent
        },
        .integer(
            "countOfRequestBodyBytesSent",
            "Body bytes on the wire, with framing, transfer and content coding"
        ) { $0.countOfRequestBodyBytesSent },
        .integer(
            "countOfRequestBodyBytesBeforeEncoding",
            "Body bytes as the task gave them"
        ) { $0.countOfRequestBodyBytesBeforeEncoding },
        .integer(
            "countOfResponseHeaderBytesReceived",
            "Bytes of the response's head on the wire"
        ) { $0.countOfResponseHeaderBytesReceived },
        .integer(
            "countOfResponseBodyBytesReceived",
            "Body bytes on the wire, with framing, transfer and content coding"
        ) { $0.countOfResponseBodyBytesReceived },
        .integer(
            "countOfResponseBodyBytesAfterDecoding",
            "Body bytes as they were delivered"
        ) { $0.countOfResponseBodyBytesAfterDecoding },
    ]

    private static let connectionFields: [ReportField<TransactionMetrics>] = [
        .optionalString("networkProtocolName", "The protocol by its ALPN name") {
            $0.networkProtocolName
        },
        .optionalString("remoteAddress", "The peer's address; the proxy's behind one") {
            $0.remoteEndpoint?.address
        },
        .optionalInteger("remotePort", "The peer's port", .port) {
            $0.remoteEndpoint.map { Int64($0.port) }
        },
        .optionalString("localAddress", "Our end's address") { $0.localEndpoint?.address },
        .optionalInteger("localPort", "Our end's port", .port) {
            $0.localEndpoint.map { Int64($0.port) }
        },
        .optionalObject(
            "negotiatedTLSProtocolVersion",
            "The TLS version; null without TLS",
            NamedCode.report
        ) { $0.negotiatedTLSProtocolVersion },
        .optionalObject(
            "negotiatedTLSCipherSuite",
            "The cipher suite; null without TLS",
            NamedCode.report
        ) { $0.negotiatedTLSCipherSuite },
    ]

    private static let pathFields: [ReportField<TransactionMetrics>] = [
        .unmeasured(
            "isCellular",
            "Whether the interface is cellular; null when its class is not known",
            .boolean
        ),
        .unmeasured(
            "isExpensive",
            "Whether the interface is expensive; null when its class is not known",
            .boolean
        ),
        .unmeasured(
            "isConstrained",
            "Whether the interface is constrained; null when its class is not known",
            .boolean
        ),
        .bool("isProxyConnection", "Whether a proxy was connected to") { $0.isProxyConnection },
        .bool("isReusedConnection", "Whether the connection had been used before") {
            $0.isReusedConnection
        },
        // No socket is opened as MPTCP.
        .bool("isMultipath", "Whether a multipath protocol was negotiated") { _ in false },
        .constant(
            "domainResolutionProtocol",
            "How names were looked up; the system's resolver does not tell",
            "unknown",
            of: ["unknown", "udp", "tcp", "tls", "https"]
        ),
    ]

    private static let extensionReport = ReportObject<TransactionMetrics>(
        "transactionExtension",
        "What Apple's transaction metrics do not have",
        [
            .optionalInteger(
                "queueUs",
                "Microseconds that the request waited for a connection"
            ) { $0.queueMicroseconds },
            .optionalInteger(
                "connectionIdentifier",
                "A number that stays the same while one connection is reused"
            ) { $0.connectionIdentifier.map(Int64.init) },
            .optionalDate("tcpConnectEndDate", "TCP is connected, TLS is not yet") {
                $0.tcpConnectEndDate
            },
            .optionalString(
                "byteCounting",
                "What the byte counts are of: the wire, or libcurl's HTTP/1 rendering of frames",
                .oneOf(["wire", "http1-equivalent"])
            ) { $0.byteCounting },
            .optionalInteger("curlCode", "The CURLcode that ended the exchange") {
                $0.curlCode.map(Int64.init)
            },
            .optionalInteger("osErrno", "The errno behind it") { $0.osErrno.map(Int64.init) },
        ]
    )

    /// From the hand-over to the first sign of work; nil when there was none.
    private var queueMicroseconds: Int64? {
        let firstWork = domainLookupStartDate ?? connectStartDate ?? requestStartDate
        return firstWork.map { Swift.max(0, $0.microseconds(since: fetchStartDate)) }
    }

    private var byteCounting: String? {
        switch networkProtocolName {
        case nil: nil
        case "h2", "h3": "http1-equivalent"
        default: "wire"
        }
    }
}

extension TransactionMetrics.NamedCode {
    static let report = ReportObject<Self>(
        "namedCode",
        "A number from an IANA registry and its name",
        [
            .integer("raw", "The registry's number", .integer(0...65535)) { Int64($0.raw) },
            .string("name", "The registry's name") { $0.name },
        ]
    )
}
