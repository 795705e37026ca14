import JSON

/// The invariants of every transaction record: the order of dates, dependent nulls, and the counts
/// of complete messages.
struct ExchangeInvariants {
    /// The steps of a connection and of the request, in order of time.
    private static let requestOrder = [
        "fetchStartDate", "domainLookupStartDate", "domainLookupEndDate", "connectStartDate",
        "secureConnectionStartDate", "secureConnectionEndDate", "connectEndDate",
        "requestStartDate", "requestEndDate",
    ]
    /// An early response may begin before the request is sent.
    private static let responseOrder = [
        "fetchStartDate", "requestStartDate", "responseStartDate", "responseEndDate",
    ]
    private static let connectionDates = [
        "domainLookupStartDate", "domainLookupEndDate", "connectStartDate",
        "secureConnectionStartDate", "secureConnectionEndDate", "connectEndDate",
    ]
    /// Pairs of a field and the field it depends on: nothing follows a step that did not happen.
    private static let needs = [
        ("domainLookupEndDate", "domainLookupStartDate"),
        ("secureConnectionStartDate", "connectStartDate"),
        ("secureConnectionEndDate", "secureConnectionStartDate"),
        ("connectEndDate", "connectStartDate"),
        ("requestStartDate", "remoteAddress"),
        ("requestStartDate", "localAddress"),
        ("requestEndDate", "requestStartDate"),
        ("responseStartDate", "requestStartDate"),
        ("responseEndDate", "responseStartDate"),
        ("responseEndDate", "response"),
        ("response", "responseStartDate"),
        ("response", "networkProtocolName"),
        ("networkProtocolName", "response"),
        ("remoteAddress", "remotePort"), ("remotePort", "remoteAddress"),
        ("localAddress", "localPort"), ("localPort", "localAddress"),
        ("negotiatedTLSProtocolVersion", "negotiatedTLSCipherSuite"),
        ("negotiatedTLSCipherSuite", "negotiatedTLSProtocolVersion"),
    ]

    private let exchange: JSONValue

    init(_ exchange: JSONValue) {
        self.exchange = exchange
    }

    /// All dates that are present, the earliest first.
    var dates: [JSONValue] {
        (Self.requestOrder + Self.responseOrder).compactMap { exchange[$0]?.string }.sorted()
            .map { .string($0) }
    }

    func violations() -> [String] {
        switch exchange["resourceFetchType"]?.string {
        case "networkLoad": break
        case "program": return checkProgram()
        default: return checkLocal()
        }
        return checkOrder(Self.requestOrder) + checkOrder(Self.responseOrder)
            + checkExtensionOrder()
            + checkNulls() + checkConnection() + checkProxy() + checkTLS() + checkRequestCounts()
            + checkResponseCounts()
    }

    /// A stored response has dates and a body, but no network properties.
    private func checkLocal() -> [String] {
        let ofNetwork =
            Self.connectionDates + [
                "networkProtocolName", "remoteAddress", "localAddress",
                "negotiatedTLSProtocolVersion",
            ]
        let ofResponse = ["requestStartDate", "requestEndDate", "responseStartDate", "response"]
        let counts = [
            "countOfRequestHeaderBytesSent", "countOfRequestBodyBytesSent",
            "countOfResponseHeaderBytesReceived", "countOfResponseBodyBytesReceived",
        ]
        return checkOrder(Self.requestOrder) + checkOrder(Self.responseOrder)
            + ofNetwork.filter { !isNull($0) }.map { "\($0) of a stored response" }
            + ofResponse.filter(isNull).map { "a stored response without \($0)" }
            + counts.filter { count($0) != 0 }.map { "\($0) of a stored response" }
    }

    /// A program's exchange has bodies and dates, but no network properties and no lines of HTTP.
    private func checkProgram() -> [String] {
        let ofNetwork =
            Self.connectionDates + [
                "networkProtocolName", "remoteAddress", "localAddress",
                "negotiatedTLSProtocolVersion",
            ]
        let counts = ["countOfRequestHeaderBytesSent", "countOfResponseHeaderBytesReceived"]
        return checkOrder(Self.requestOrder) + checkOrder(Self.responseOrder)
            + ofNetwork.filter { !isNull($0) }.map { "\($0) of a program" }
            + counts.filter { count($0) != 0 }.map { "\($0) of a program" }
    }

    private func isNull(_ name: String) -> Bool { exchange[name]?.isNull ?? true }
    private func count(_ name: String) -> Int64 { exchange[name]?.integer ?? -1 }

    private func checkOrder(_ names: [String]) -> [String] {
        let known = names.filter { exchange[$0]?.string != nil }
        return zip(known, known.dropFirst()).compactMap { earlier, later in
            guard let first = exchange[earlier]?.string, let second = exchange[later]?.string,
                first > second
            else { return nil }
            return "\(later) is before \(earlier)"
        }
    }

    private func checkExtensionOrder() -> [String] {
        var found: [String] = []
        if let tcp = exchange["extension"]?["tcpConnectEndDate"]?.string {
            let before = exchange["connectStartDate"]?.string
            let after =
                exchange["secureConnectionStartDate"]?.string ?? exchange["connectEndDate"]?.string
            if before.map({ tcp < $0 }) ?? true { found.append("TCP before connectStartDate") }
            if after.map({ tcp > $0 }) ?? false { found.append("TCP after what follows it") }
        }
        let informed = (exchange["extension"]?["informational"]?.elements ?? [])
            .compactMap { $0["date"]?.string }
        let limits =
            [exchange["requestStartDate"]?.string] + informed.map(\.self)
            + [exchange["responseStartDate"]?.string]
        let known = limits.compactMap(\.self)
        if zip(known, known.dropFirst()).contains(where: { $0 > $1 }) {
            found.append("informational responses out of order")
        }
        return found
    }

    private func checkNulls() -> [String] {
        Self.needs.filter { !isNull($0.0) && isNull($0.1) }.map { "\($0.0) without \($0.1)" }
    }

    private func checkConnection() -> [String] {
        var found: [String] = []
        let connection = exchange["extension"]?["connectionIdentifier"]
        if exchange["isReusedConnection"] == .bool(true) {
            for name in Self.connectionDates where !isNull(name) {
                found.append("\(name) on a reused connection")
            }
        } else if !isNull("requestStartDate"), isNull("connectEndDate") {
            found.append("a request without a connection")
        }
        if !isNull("requestStartDate"), connection?.isNull ?? true {
            found.append("a request over a connection without its number")
        }
        if isNull("connectStartDate"), isNull("requestStartDate"), !isNull("remoteAddress") {
            found.append("a peer without a connection")
        }
        if exchange["extension"]?["queueUs"]?.integer.map({ $0 < 0 }) ?? false {
            found.append("a negative time in the queue")
        }
        return found
    }

    private func checkProxy() -> [String] {
        var found: [String] = []
        let hasNone = exchange["extension"]?["proxy"]?.isNull ?? true
        if hasNone == (exchange["isProxyConnection"] == .bool(true)) {
            found.append("isProxyConnection does not say whether there is a proxy")
        }
        let tunnel = exchange["extension"]?["proxyTunnel"] ?? .null
        if !tunnel.isNull, hasNone || isNull("connectStartDate") {
            found.append("a tunnel without a proxy or on a reused connection")
        }
        if !tunnel.isNull, !isNull("requestStartDate"),
            tunnel["statusCode"]?.integer.map({ (200...299).contains($0) }) != true
        {
            found.append("a request through a tunnel that was refused")
        }
        return found
    }

    private func checkTLS() -> [String] {
        let url = exchange["request"]?["url"]?.string ?? ""
        let isSecure = ["https://", "wss://", "tls://"].contains(where: url.hasPrefix)
        let names = ["secureConnectionStartDate", "secureConnectionEndDate"]
        let facts = ["negotiatedTLSProtocolVersion", "negotiatedTLSCipherSuite"]
        // TLS to the proxy does not count as TLS to the origin.
        // Whether FTP uses TLS is the session's choice, and SSH has none.
        if isAtFileServer { return [] }
        if !isSecure { return (facts + names).filter { !isNull($0) }.map { "\($0) without TLS" } }
        guard !isNull("requestStartDate") else { return [] }
        let needed = facts + (isNull("connectStartDate") ? [] : names)
        return needed.filter(isNull).map { "TLS without \($0)" }
    }

    private func checkRequestCounts() -> [String] {
        var found: [String] = []
        let (head, body) = (
            count("countOfRequestHeaderBytesSent"), count("countOfRequestBodyBytesSent")
        )
        if isNull("requestStartDate"), head != 0 || body != 0 {
            found.append("bytes of a request that was not begun")
        }
        guard !isNull("requestEndDate") else { return found }
        if head == 0, !isAtFileServer { found.append("a whole request without a head") }
        if let length = field("content-length", of: "request").flatMap({ Int64($0) }) {
            if body != length { found.append("a whole request of another length than it says") }
        } else if field("transfer-encoding", of: "request") != nil {
            if body < count("countOfRequestBodyBytesBeforeEncoding") + 5 {
                found.append("chunks that are not counted")
            }
        } else if isHTTP1, body != 0 {
            found.append("a body that was not announced")
        }
        return found
    }

    private func checkResponseCounts() -> [String] {
        var found: [String] = []
        let head = count("countOfResponseHeaderBytesReceived")
        let body = count("countOfResponseBodyBytesReceived")
        let delivered = count("countOfResponseBodyBytesAfterDecoding")
        if isNull("responseStartDate"), head != 0 || body != 0 || delivered != 0 {
            found.append("bytes of a response that did not begin")
        }
        if !isNull("response"), head == 0, !isAtFileServer {
            found.append("a response without a head")
        }
        guard !isNull("responseEndDate") else { return found }
        let status = exchange["response"]?["statusCode"]?.integer ?? 0
        let hasNoBody =
            exchange["request"]?["method"]?.string == "HEAD" || status == 204 || status == 304
        let isCoded = field("content-encoding", of: "response") != nil
        // Skip a proxy's authentication challenge.
        let isQuestion = status == 407 && exchange["isProxyConnection"] == .bool(true)
        if isQuestion { return found }
        if hasNoBody {
            if body != 0 { found.append("a body where there is none") }
        } else if field("transfer-encoding", of: "response") != nil {
            if !isCoded, body < delivered + 5 { found.append("chunks that are not counted") }
        } else {
            // libcurl does not deliver the body of a challenge that it answers.
            let isKept = delivered == 0 && (status == 401 || status == 407)
            if !isCoded, !isKept, body != delivered {
                found.append("a body that became another length")
            }
            if let length = field("content-length", of: "response").flatMap({ Int64($0) }),
                body != length
            {
                found.append("a whole response of another length than it says")
            }
        }
        return found
    }

    /// Whether commands and packets took the place of heads.
    private var isAtFileServer: Bool {
        let url = exchange["request"]?["url"]?.string ?? ""
        return ["ftp://", "ftps://", "sftp://"].contains(where: url.hasPrefix)
    }

    private var isHTTP1: Bool {
        exchange["networkProtocolName"]?.string?.hasPrefix("http/1") ?? false
    }

    /// The first value of a message's field with a name; nil without one.
    private func field(_ name: String, of message: String) -> String? {
        exchange[message]?["headers"]?.elements.first {
            $0["name"]?.string?.lowercased() == name
        }?["value"]?.string
    }
}
