internal import TransferModel

extension TransactionMetrics {
    /// One exchange, in the terms of Apple's `URLSessionTaskTransactionMetrics`.
    enum Report: ReportObject {
        typealias Subject = TransactionMetrics
        static let name = "transactionMetrics"
        static let description =
            "One exchange of a request and its response, as URLSessionTaskTransactionMetrics; a step that did not happen is null, and so are all steps after an incomplete one"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            declareExchange(in: &members)
            declareDates(in: &members)
            declareCounts(in: &members)
            declareConnection(in: &members)
            declarePath(in: &members)
            members.group(
                "extension",
                "Members without a counterpart in URLSessionTaskMetrics",
                ExtensionReport.self
            )
        }
    }

    private static func declareExchange(
        in members: inout some ReportMembers<TransactionMetrics> & ~Copyable
    ) {
        members.integer(
            "attempt",
            "The attempt that the exchange belongs to, from 1",
            .integer(1...Int64.max)
        ) { Int64($0.attempt) }
        members.choice("reason", "The reason for the exchange") { $0.reason }
        members.object("request", "The request as runner sent it", SentRequest.Report.self) {
            $0.request
        }
        members.optionalResponse(
            "response",
            "The final response; null when no complete head arrived"
        ) { $0.response }
        members.choice("resourceFetchType", "The source of the response") { $0.resourceFetchType }
    }

    private static func declareDates(
        in members: inout some ReportMembers<TransactionMetrics> & ~Copyable
    ) {
        members.date(
            "fetchStartDate",
            "Just before libcurl gets the request (`curl_multi_add_handle`)"
        ) { $0.fetchStartDate }
        members.optionalDate(
            "domainLookupStartDate",
            "Just before the name lookup (`CURLOPT_RESOLVER_START_FUNCTION`)"
        ) { $0.domainLookupStartDate }
        members.optionalDate(
            "domainLookupEndDate",
            "Just after the name lookup (`CURLINFO_NAMELOOKUP_TIME_T`)"
        ) { $0.domainLookupEndDate }
        members.optionalDate(
            "connectStartDate",
            "Just before the TCP connect (`CURLOPT_OPENSOCKETFUNCTION`)"
        ) { $0.connectStartDate }
        members.optionalDate(
            "secureConnectionStartDate",
            "Just before the TLS handshake (`CURLINFO_SSL_DATA_OUT`)"
        ) { $0.secureConnectionStartDate }
        members.optionalDate(
            "secureConnectionEndDate",
            "Just after the TLS handshake (`CURLINFO_APPCONNECT_TIME_T`)"
        ) { $0.secureConnectionEndDate }
        members.optionalDate(
            "connectEndDate",
            "The connection is ready, TLS included (`CURLOPT_PREREQFUNCTION`)"
        ) { $0.connectEndDate }
        members.optionalDate(
            "requestStartDate",
            "Just before the first byte of the request (`CURLOPT_PREREQFUNCTION`)"
        ) { $0.requestStartDate }
        members.optionalDate(
            "requestEndDate",
            "Just after the last byte of the request (`CURLOPT_DEBUGFUNCTION`)"
        ) { $0.requestEndDate }
        members.optionalDate(
            "responseStartDate",
            "The first byte of the final response (`CURLOPT_HEADERFUNCTION`)"
        ) { $0.responseStartDate }
        members.optionalDate(
            "responseEndDate",
            "The last byte of the response (`CURLOPT_WRITEFUNCTION`)"
        ) { $0.responseEndDate }
    }

    private static func declareCounts(
        in members: inout some ReportMembers<TransactionMetrics> & ~Copyable
    ) {
        members.integer(
            "countOfRequestHeaderBytesSent",
            "Bytes of the request's head on the wire (`CURLINFO_HEADER_OUT`)"
        ) { $0.countOfRequestHeaderBytesSent }
        members.integer(
            "countOfRequestBodyBytesSent",
            "Body bytes on the wire, with framing, transfer and content coding (`CURLINFO_DATA_OUT`)"
        ) { $0.countOfRequestBodyBytesSent }
        members.integer(
            "countOfRequestBodyBytesBeforeEncoding",
            "Body bytes before content coding and framing"
        ) { $0.countOfRequestBodyBytesBeforeEncoding }
        members.integer(
            "countOfResponseHeaderBytesReceived",
            "Bytes of the response's head on the wire (`CURLOPT_HEADERFUNCTION`)"
        ) { $0.countOfResponseHeaderBytesReceived }
        members.integer(
            "countOfResponseBodyBytesReceived",
            "Body bytes on the wire, with framing, transfer and content coding (`CURLINFO_DATA_IN`)"
        ) { $0.countOfResponseBodyBytesReceived }
        members.integer(
            "countOfResponseBodyBytesAfterDecoding",
            "Body bytes as runner delivered them"
        ) { $0.countOfResponseBodyBytesAfterDecoding }
    }

    private static func declareConnection(
        in members: inout some ReportMembers<TransactionMetrics> & ~Copyable
    ) {
        members.optionalString(
            "networkProtocolName",
            "The protocol by its ALPN name (`CURLINFO_HTTP_VERSION`)"
        ) { $0.networkProtocolName }
        members.optionalString(
            "remoteAddress",
            "The peer's address; behind a proxy, the address of the proxy (`CURLINFO_PRIMARY_IP`)"
        ) {
            $0.remoteEndpoint?.address
        }
        members.optionalInteger("remotePort", "The peer's port (`CURLINFO_PRIMARY_PORT`)", .port) {
            $0.remoteEndpoint.map { Int64($0.port) }
        }
        members.optionalString("localAddress", "The local address (`CURLINFO_LOCAL_IP`)") {
            $0.localEndpoint?.address
        }
        members.optionalInteger("localPort", "The local port (`CURLINFO_LOCAL_PORT`)", .port) {
            $0.localEndpoint.map { Int64($0.port) }
        }
        members.optionalObject(
            "negotiatedTLSProtocolVersion",
            "The TLS version; null without TLS (`CURLINFO_TLS_SSL_PTR`)",
            NamedCode.Report.self
        ) { $0.negotiatedTLSProtocolVersion }
        members.optionalObject(
            "negotiatedTLSCipherSuite",
            "The cipher suite; null without TLS (`CURLINFO_TLS_SSL_PTR`)",
            NamedCode.Report.self
        ) { $0.negotiatedTLSCipherSuite }
    }

    private static func declarePath(
        in members: inout some ReportMembers<TransactionMetrics> & ~Copyable
    ) {
        members.optionalBool(
            "isCellular",
            "Whether the interface is cellular; null without a check or with an unknown class"
        ) { $0.path?.isCellular }
        members.optionalBool(
            "isExpensive",
            "Whether the interface is expensive; null without a check or with an unknown class"
        ) { $0.path?.isExpensive }
        members.optionalBool(
            "isConstrained",
            "Whether the interface is constrained; null without a check or with an unknown class"
        ) { $0.path?.isConstrained }
        members.bool("isProxyConnection", "Whether the connection leads to a proxy") {
            $0.isProxyConnection
        }
        members.bool(
            "isReusedConnection",
            "Whether the connection had been used before: libcurl opened no socket for the exchange"
        ) { $0.isReusedConnection }
        members.bool("isMultipath", "Whether a multipath protocol was negotiated") {
            $0.isMultipath
        }
        members.constant(
            "domainResolutionProtocol",
            "The protocol of the name lookup; the system's resolver does not report it",
            "unknown",
            of: ["unknown", "udp", "tcp", "tls", "https"]
        )
    }

    private enum ExtensionReport: ReportObject {
        typealias Subject = TransactionMetrics
        static let name = "transactionExtension"
        static let description = "Members without a counterpart in URLSessionTaskTransactionMetrics"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.optionalInteger(
                "queueUs",
                "The wait of the request for a connection, microseconds"
            ) { $0.queueMicroseconds }
            members.optionalInteger(
                "bandwidthWaitUs",
                "How long the session's `limits` made the exchange wait, microseconds; null when they did not"
            ) { $0.bandwidthWaitMicroseconds }
            members.optionalInteger(
                "connectionIdentifier",
                "A number that stays the same while one connection is reused"
            ) { $0.connectionIdentifier.map(Int64.init) }
            members.optionalDate("tcpConnectEndDate", "TCP is connected, and TLS has not begun") {
                $0.tcpConnectEndDate
            }
            members.optionalString("proxy", "The proxy's URL, without user and password") {
                $0.proxy?.url
            }
            members.optionalObject(
                "proxyTunnel",
                "The CONNECT exchanges; null without a tunnel, and on a reused connection",
                Tunnel.Report.self
            ) { $0.proxy?.tunnel }
            members.array(
                "informational",
                "The first 32 informational responses (1xx) before the final response",
                InformationalResponse.Report.self
            ) { $0.informationalResponses }
            members.integer(
                "countOfInformationalBytesReceived",
                "Bytes of the heads of all informational responses (1xx)"
            ) { $0.countOfInformationalBytesReceived }
            members.optionalOwnText(
                "serverTrust",
                "The session's rule of trust in servers; null without TLS",
                .oneOf(TLSConfiguration.ServerTrust.allCases.map(\.rawValue))
            ) { $0.serverTrust?.rawValue }
            members.optionalString(
                "networkInterface",
                "The interface of the connection; null where no policy needs it"
            ) { $0.path?.interface }
            members.optionalOwnText(
                "networkEnforcement",
                "How runner avoided forbidden interfaces: by binding to the device, or by the route; null when none is forbidden",
                .oneOf(TransactionMetrics.Path.Enforcement.allCases.map(\.rawValue))
            ) { $0.path?.enforcement?.rawValue }
            members.optionalOwnText(
                "byteCounting",
                "The subject of the byte counts: the wire, or libcurl's HTTP/1 rendering of frames",
                .oneOf(["wire", "http1-equivalent"])
            ) { $0.byteCounting }
            members.optionalInteger("curlCode", "The CURLcode that ended the exchange") {
                $0.curlCode.map(Int64.init)
            }
            members.optionalInteger(
                "osErrno",
                "The errno of the failed system call (`CURLINFO_OS_ERRNO`)"
            ) { $0.osErrno.map(Int64.init) }
        }
    }

    /// The time from the start of the fetch to the first activity; nil without any.
    private var queueMicroseconds: Int64? {
        let firstWork = domainLookupStartDate ?? connectStartDate ?? requestStartDate
        return firstWork.map { Swift.max(0, $0.microseconds(since: fetchStartDate)) }
    }

    private var byteCounting: String? {
        networkProtocolName.map { _ in hasStreams ? "http1-equivalent" : "wire" }
    }
}

extension TransactionMetrics.Tunnel {
    enum Report: ReportObject {
        typealias Subject = TransactionMetrics.Tunnel
        static let name = "proxyTunnel"
        static let description =
            "The CONNECT exchanges with a proxy for a tunnel; no other number counts them"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.optionalInteger(
                "statusCode",
                "The status code of the proxy's last response",
                .integer(0...999)
            ) { $0.statusCode.map(Int64.init) }
            members.integer("countOfHeaderBytesSent", "Bytes of the CONNECT requests") {
                $0.countOfHeaderBytesSent
            }
            members.integer("countOfHeaderBytesReceived", "Bytes of the heads of the responses") {
                $0.countOfHeaderBytesReceived
            }
        }
    }
}

extension TransactionMetrics.InformationalResponse {
    enum Report: ReportObject {
        typealias Subject = TransactionMetrics.InformationalResponse
        static let name = "informationalResponse"
        static let description = "An informational response before the final response"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("statusCode", "100 to 199", .integer(100...199)) {
                Int64($0.statusCode)
            }
            members.date("date", "The time when its head was complete") { $0.date }
            members.optionalInteger(
                "uploadOffset",
                "The bytes of an upload that the server has, according to a 104 response"
            ) { $0.uploadOffset }
            members.member(
                "headers",
                "The header fields in order, credentials redacted; none of a 104 response",
                .array(.object(HeaderField.reportSchema))
            ) { $1.fields($0.fields) }
        }
    }
}

extension TransactionMetrics.NamedCode {
    enum Report: ReportObject {
        typealias Subject = TransactionMetrics.NamedCode
        static let name = "namedCode"
        static let description = "A number from an IANA registry and its name"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("raw", "The registry's number", .integer(0...65535)) { Int64($0.raw) }
            members.string("name", "The registry's name") { $0.name }
        }
    }
}

extension TransactionMetrics.SentRequest {
    enum Report: ReportObject {
        typealias Subject = TransactionMetrics.SentRequest
        static let name = "request"
        static let description = "A request as runner sent it"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.string("method", "The HTTP method") { $0.method }
            members.foreignText("url", "The URL, its user information redacted") { $0.url }
            members.member(
                "headers",
                "The header fields in order, with repeated fields; credentials redacted",
                .array(.object(HeaderField.reportSchema))
            ) { $1.requestFields($0.headers) }
        }
    }
}

extension ResponseHead {
    enum Report: ReportObject {
        typealias Subject = ResponseHead
        static let name = "response"
        static let description = "The head of a final response"

        static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
            members.integer("statusCode", "The status code", .integer(0...999)) {
                Int64($0.statusCode)
            }
            members.optionalForeignText("mimeType", "The media type without parameters") {
                $0.mimeType
            }
            members.member(
                "headers",
                "The header fields in order, with repeated fields; credentials redacted",
                .array(.object(HeaderField.reportSchema))
            ) { $1.fields($0.fields) }
        }
    }
}

extension HeaderField {
    /// The schema of a field as `ReportWriter.fields` writes it.
    static let reportSchema = ObjectSchema(
        name: "headerField",
        description: "One field line",
        members: [
            ObjectSchema.Member(
                name: "name",
                description: "The name as it was written",
                schema: .string
            ),
            ObjectSchema.Member(
                name: "value",
                description: "The value; each byte is the character with the same number",
                schema: .string
            ),
        ]
    )
}
