internal import JSON
internal import TransferModel

/// One request of a report and its response, with the dates of its steps.
struct ReportedExchange {
    /// A header field, in the order of the message.
    struct Field {
        var name: String
        var value: String
    }

    /// The attempt that the exchange belongs to, from 1.
    var attempt: Int
    /// The reason for the exchange.
    var reason: String
    var method: String
    var url: String
    var requestFields: [Field]
    /// Nil when no complete head arrived, as the fields and the media type.
    var statusCode: Int?
    var responseFields: [Field]
    var mimeType: String?
    /// Whether the response came from the cache.
    var isFromCache: Bool
    /// Such as `http/1.1`; nil without a connection.
    var protocolName: String?
    var remoteAddress: String?
    var remotePort: Int64?
    /// libcurl's code for the failure that ended the exchange; nil without one.
    var curlCode: Int64?
    var connectionIdentifier: Int64?
    var requestHeaderBytes: Int64
    var requestBodyBytes: Int64
    var responseHeaderBytes: Int64
    /// On the wire, with content coding.
    var responseBodyBytes: Int64
    /// As the task got it.
    var decodedBodyBytes: Int64
    var steps: Steps

    /// The dates of the steps; nil for steps that did not happen.
    struct Steps {
        var fetchStart: Timestamp
        var lookupStart: Timestamp?
        var lookupEnd: Timestamp?
        var connectStart: Timestamp?
        var secureStart: Timestamp?
        var secureEnd: Timestamp?
        var connectEnd: Timestamp?
        var requestStart: Timestamp?
        var requestEnd: Timestamp?
        var responseStart: Timestamp?
        var responseEnd: Timestamp?
    }

    init(_ json: JSONValue) throws(ReportFault) {
        attempt = Int(try json.number("attempt"))
        reason = try json.text("reason")
        let request = try json.object("request")
        method = try request.text("method")
        url = try request.text("url")
        requestFields = Self.fields(of: request)
        let response = json["response"]
        statusCode = response?["statusCode"]?.integer.map { Int($0) }
        responseFields = response.map(Self.fields) ?? []
        mimeType = response?["mimeType"]?.string
        isFromCache = json["resourceFetchType"]?.string == "localCache"
        protocolName = json["networkProtocolName"]?.string
        remoteAddress = json["remoteAddress"]?.string
        remotePort = json["remotePort"]?.integer
        curlCode = json["extension"]?["curlCode"]?.integer
        connectionIdentifier = json["extension"]?["connectionIdentifier"]?.integer
        requestHeaderBytes = try json.number("countOfRequestHeaderBytesSent")
        requestBodyBytes = try json.number("countOfRequestBodyBytesSent")
        responseHeaderBytes = try json.number("countOfResponseHeaderBytesReceived")
        responseBodyBytes = try json.number("countOfResponseBodyBytesReceived")
        decodedBodyBytes = try json.number("countOfResponseBodyBytesAfterDecoding")
        steps = Steps(
            fetchStart: try json.date("fetchStartDate"),
            lookupStart: json.optionalDate("domainLookupStartDate"),
            lookupEnd: json.optionalDate("domainLookupEndDate"),
            connectStart: json.optionalDate("connectStartDate"),
            secureStart: json.optionalDate("secureConnectionStartDate"),
            secureEnd: json.optionalDate("secureConnectionEndDate"),
            connectEnd: json.optionalDate("connectEndDate"),
            requestStart: json.optionalDate("requestStartDate"),
            requestEnd: json.optionalDate("requestEndDate"),
            responseStart: json.optionalDate("responseStartDate"),
            responseEnd: json.optionalDate("responseEndDate")
        )
    }

    private static func fields(of message: JSONValue) -> [Field] {
        (message["headers"]?.elements ?? []).compactMap { field in
            guard let name = field["name"]?.string, let value = field["value"]?.string else {
                return nil
            }
            return Field(name: name, value: value)
        }
    }
}

/// The stretches of an exchange, microseconds; nil for one that did not happen.
///
/// They follow each other without gaps, and `ssl` is a part of `connect`, so that the others add up
/// to `total`.
struct ExchangeTimings {
    private(set) var blocked: Int64?
    private(set) var dns: Int64?
    private(set) var connect: Int64?
    private(set) var ssl: Int64?
    private(set) var send: Int64 = 0
    private(set) var wait: Int64 = 0
    private(set) var receive: Int64 = 0

    /// From the beginning to the last step.
    var total: Int64 {
        (blocked ?? 0) + (dns ?? 0) + (connect ?? 0) + send + wait + receive
    }

    init(_ exchange: ReportedExchange) {
        let steps = exchange.steps
        var last = steps.fetchStart
        /// The time since the last step; nil for a step that did not happen.
        func stretch(to date: Timestamp?) -> Int64? {
            guard let date else { return nil }
            defer { last = max(last, date) }
            return max(0, date.microseconds(since: last))
        }
        blocked = stretch(to: steps.lookupStart ?? steps.connectStart ?? steps.requestStart)
        if steps.lookupStart != nil { dns = stretch(to: steps.lookupEnd) }
        if steps.connectStart != nil { connect = stretch(to: steps.connectEnd) }
        if let start = steps.secureStart, let end = steps.secureEnd {
            ssl = min(connect ?? 0, max(0, end.microseconds(since: start)))
        }
        // The time between a connection and the request belongs to neither: the request waits.
        if let gap = stretch(to: steps.requestStart) { blocked = (blocked ?? 0) + gap }
        send = stretch(to: steps.requestEnd) ?? 0
        wait = stretch(to: steps.responseStart) ?? 0
        receive = stretch(to: steps.responseEnd) ?? 0
    }
}
