internal import CurlKit
internal import TransferModel

/// Turns an easy handle's events into transaction records, one per exchange.
///
/// libcurl may repeat a request when an idle connection has died. A second connection or request
/// after a sent head shows this, and gets its own record.
struct TransactionRecorder {
    /// The body of the current exchange's request.
    enum Body {
        case none
        /// All bytes at once, with their count before encoding.
        case memory(sent: Int, original: Int)
        /// Pieces; nil if the length is unknown.
        case pieces(total: Int64?)
    }

    /// The most records kept of one attempt: the first and the last half of them.
    private static let mostKept = 64

    let clock: RunClock
    /// When the attempt began.
    let startTime: MonotonicTime
    var moments: Moments
    var record: TransactionMetrics
    /// Whether a head was sent since the attempt began; a redirect or repetition does not reset
    /// this.
    private(set) var hasSentAnything = false
    /// Whether a byte of a request's body was sent.
    private(set) var hasSentBody = false
    var body = Body.none
    /// The body bytes that complete the request; `max` if unknown.
    private var bodyCount: Int64 = 0
    /// The completed records.
    private(set) var closed: [TransactionMetrics] = []
    /// The number of omitted records between them: an upload in small parts can have many.
    private(set) var omittedCount = 0

    /// Begins the first record.
    init(
        attempt: Int,
        reason: TransactionMetrics.Reason,
        method: String,
        url: String,
        clock: RunClock,
        now: MonotonicTime
    ) {
        self.clock = clock
        startTime = now
        moments = Moments(fetchStart: now)
        record = TransactionMetrics(
            attempt: attempt,
            reason: reason,
            request: .init(method: method, url: url, headers: HeaderFields()),
            fetchStartDate: clock.timestamp(of: now)
        )
    }

    /// Whether requests have no head of HTTP: requests to file servers.
    var isHeadless = false

    /// Whether any byte of the current request was sent.
    var didSend: Bool {
        record.countOfRequestHeaderBytesSent > 0 || isHeadless && moments.requestStart != nil
    }

    /// The phase of the current exchange.
    var phase: TransferFailure.Phase {
        if moments.responseStart != nil { return .receive }
        if moments.requestStart != nil { return isRequestSent ? .wait : .send }
        if moments.secureStart != nil { return .tls }
        if moments.connectStart != nil { return .connect }
        return moments.lookupStart != nil ? .resolve : .prepare
    }

    /// How far the exchange has come, for the failure that ends it.
    var stage: ExchangeStage {
        ExchangeStage(phase: phase, hasSentAnything: hasSentAnything, hasSentBody: hasSentBody)
    }

    /// The delivered body bytes of the current exchange.
    var deliveredBytes: Int64 { record.countOfResponseBodyBytesAfterDecoding }
    /// The sent body bytes of the current exchange, without the chunk framing of a stream.
    var sentBodyBytes: Int64 {
        guard case .pieces(total: nil) = body else { return record.countOfRequestBodyBytesSent }
        let (given, sent) = (
            record.countOfRequestBodyBytesBeforeEncoding, record.countOfRequestBodyBytesSent
        )
        // libcurl reads more than it has sent.
        return isRequestSent ? given : min(given, sent)
    }
    /// The sent body bytes of earlier exchanges.
    private(set) var sentBodyBytesBefore: Int64 = 0
    var receivedBodyBytes: Int64 { record.countOfResponseBodyBytesReceived }

    /// Whether the whole current request was sent; for a body of unknown length, whether its end
    /// was reached.
    var isRequestSent: Bool {
        switch record.resourceFetchType {
        case .local, .localCache: return true
        case .program: break
        case .networkLoad: guard didSend else { return false }
        }
        return record.countOfRequestBodyBytesSent >= bodyCount
    }

    /// Whether the current request has an `Authorization`.
    var hasSentAuthorization: Bool { record.request.headers.firstValue(of: "authorization") != nil }
    /// The `Content-Length` of the current request.
    var sentContentLength: String? { record.request.headers["content-length"] }

    /// The time from the current request to the first byte of its response; nil before that.
    var latency: Duration? {
        guard let start = moments.requestStart, let end = moments.responseStart else { return nil }
        return end - start
    }

    /// Whether the current exchange had a ready connection.
    var hasBegunRequest: Bool { moments.requestStart != nil }
    /// Whether a connection was started but carried no request.
    var hasUnusedConnection: Bool { moments.connectStart != nil && !hasBegunRequest }

    /// The current exchange requests the rest of a file.
    mutating func willResume() {
        record.reason = .resume
    }

    /// The current exchange validates a stored response.
    mutating func willRevalidate() {
        if record.reason != .redirect { record.reason = .revalidation }
    }

    /// A stored response answers the current exchange.
    mutating func didFind(_ head: ResponseHead, at now: MonotonicTime) {
        if record.reason != .redirect { record.reason = .cacheHit }
        didRead(head, from: .localCache, at: now)
    }

    /// Something other than the network answers the current exchange.
    mutating func didRead(
        _ head: ResponseHead,
        from source: TransactionMetrics.ResourceFetchType,
        at now: MonotonicTime
    ) {
        record.resourceFetchType = source
        record.response = head
        moments.requestStart = now
        moments.lastSent = now
        moments.responseStart = now
        moments.lastReceived = now
    }

    /// A program gets the current request.
    mutating func willAskProgram(_ headers: [HeaderField], at now: MonotonicTime) {
        record.resourceFetchType = .program
        record.request.headers = HeaderFields(headers)
        moments.requestStart = now
        moments.lastSent = now
        hasSentAnything = true
    }

    // MARK: - Proxies

    /// The current exchange uses a proxy.
    mutating func willUseProxy(_ url: String) {
        record.proxy = TransactionMetrics.Proxy(url: url)
    }

    /// Records a line of a proxy's response to CONNECT; the status is nil until the head is
    /// complete.
    mutating func didReceiveTunnelHead(count: Int, statusCode: Int?) {
        changeTunnel {
            $0.countOfHeaderBytesReceived += Int64(count)
            $0.statusCode = statusCode
        }
    }

    private mutating func changeTunnel(_ change: (inout TransactionMetrics.Tunnel) -> Void) {
        var tunnel = record.proxy?.tunnel ?? TransactionMetrics.Tunnel()
        change(&tunnel)
        record.proxy?.tunnel = tunnel
    }

    // MARK: - Events

    /// The current exchange has a body.
    mutating func willSendBody(_ body: Body) {
        self.body = body
        didRewindBody()
    }

    /// A name lookup may start; `isLookup` is false when the host is an address.
    mutating func didStartResolving(isLookup: Bool, at now: MonotonicTime) {
        splitAfterSending(at: now)
        // A SOCKS proxy that takes addresses is connected before the origin's name is looked up.
        guard moments.connectStart == nil else { return }
        moments.origin = now
        if isLookup { moments.lookupStart = now }
    }

    /// A socket is opened; `isNamed` is false when the target was given as an address.
    mutating func didOpenSocket(isNamed: Bool, at now: MonotonicTime) {
        splitAfterSending(at: now)
        // The first attempted address starts the connect; later ones are part of it.
        guard moments.connectStart == nil else { return }
        moments.connectStart = now
        // libcurl does not report a cached name.
        moments.isNameAtHand = isNamed && moments.lookupStart == nil
    }

    /// A connection is ready.
    ///
    /// - Parameters:
    ///   - connection: The two ends of the connection.
    ///   - identifier: Identifies the connection across its reuse.
    ///   - times: libcurl's times for opening it; read only for a new connection.
    ///   - tls: Its TLS.
    ///   - serverTrust: How the peer was verified; nil without TLS.
    ///   - now: The current time.
    mutating func willSendRequest(
        over connection: ConnectionFacts,
        identifier: Int,
        times: ConnectTimes?,
        tls: TLSFacts?,
        serverTrust: TLSConfiguration.ServerTrust?,
        at now: MonotonicTime
    ) {
        splitAfterSending(at: now)
        moments.requestStart = now
        record.isReusedConnection = moments.connectStart == nil
        record.serverTrust = serverTrust
        record.connectionIdentifier = identifier
        record.remoteEndpoint = .init(
            address: connection.remoteAddress,
            port: connection.remotePort
        )
        record.localEndpoint = .init(address: connection.localAddress, port: connection.localPort)
        if let times { connected(times, at: now) }
        if let tls {
            record.negotiatedTLSProtocolVersion = .init(raw: tls.version, name: tls.versionName)
            record.negotiatedTLSCipherSuite = .init(raw: tls.cipherSuite, name: tls.cipherSuiteName)
        }
    }

    /// The current exchange uses that interface.
    mutating func willUse(_ path: TransactionMetrics.Path) { record.path = path }

    /// Records whether the current connection may use several paths.
    mutating func noteMultipath(_ isMultipath: Bool) { record.isMultipath = isMultipath }

    /// Whether the current exchange opened a connection.
    var hasNewConnection: Bool { moments.connectStart != nil }

    /// Records the sent head; `url` is the requested URL if it differs from the wanted one.
    mutating func didSendHead(_ bytes: Span<UInt8>, asking url: String?, at now: MonotonicTime) {
        // A CONNECT request is part of connecting and is not reported: it may contain credentials.
        guard moments.requestStart != nil else {
            changeTunnel {
                $0.countOfHeaderBytesSent += Int64(bytes.count)
                $0.statusCode = nil
            }
            return
        }
        hasSentAnything = true
        if let url { record.request.url = url }
        record.countOfRequestHeaderBytesSent += Int64(bytes.count)
        // The fields follow the request line.
        if let end = bytes.indices.first(where: { bytes[$0] == 10 }) {
            record.request.headers.append(sentLines: bytes.extracting(droppingFirst: end + 1))
        }
        moments.lastSent = now
    }

    mutating func didTransfer(_ traffic: Traffic, count: Int, at now: MonotonicTime) {
        switch traffic {
        case .bodySent:
            guard moments.requestStart != nil else { return }
            hasSentBody = true
            record.countOfRequestBodyBytesSent += Int64(count)
            moments.lastSent = now
        case .bodyReceived:
            guard moments.requestStart != nil else { return }
            record.countOfResponseBodyBytesReceived += Int64(count)
            moments.lastReceived = now
        case .tlsSent:
            if moments.secureStart == nil, moments.connectStart != nil, moments.requestStart == nil
            {
                moments.secureStart = now
            }
        }
    }

    /// Adds a response body that was not reported: since version 8, libcurl does not report the
    /// body of a challenge that it answers.
    mutating func didPassOver(body length: Int64) {
        guard record.countOfResponseBodyBytesReceived == 0 else { return }
        record.countOfResponseBodyBytesReceived = length
    }

    /// The server refused the current request without processing it, so it is repeated.
    mutating func didGetRefusal() {
        hasSentAnything = false
        hasSentBody = false
    }

    /// The session's bandwidth made the exchange wait.
    mutating func didWaitForBandwidth(_ duration: Duration) {
        record.bandwidthWaitMicroseconds =
            (record.bandwidthWaitMicroseconds ?? 0) + duration.microseconds
    }

    mutating func didProduceBody(count: Int) {
        record.countOfRequestBodyBytesBeforeEncoding += Int64(count)
        if count == 0, bodyCount == .max { bodyCount = 0 }
    }

    mutating func didRewindBody() {
        record.countOfRequestBodyBytesBeforeEncoding = 0
        switch body {
        case .none:
            bodyCount = 0
        case .memory(let sent, let original):
            bodyCount = Int64(sent)
            record.countOfRequestBodyBytesBeforeEncoding = Int64(original)
        case .pieces(let total):
            bodyCount = total ?? .max
        }
    }

    /// Records a line of a head; the final response begins with the first line with `isFinal`.
    mutating func didReceiveHead(count: Int, isFinal: Bool, at now: MonotonicTime) {
        if isFinal, moments.responseStart == nil { moments.responseStart = now }
        if let responseStart = moments.responseStart {
            record.countOfResponseHeaderBytesReceived += Int64(count)
            moments.lastReceived = max(now, responseStart)
        } else {
            record.countOfInformationalBytesReceived += Int64(count)
        }
    }

    /// Records the complete head of an informational response.
    mutating func didReceiveInformational(_ head: ResponseHead, at now: MonotonicTime) {
        let most = TransactionMetrics.maximumInformationalResponses
        guard record.informationalResponses.count < most else { return }
        record.informationalResponses.append(.init(head, at: clock.timestamp(of: now)))
    }

    mutating func didReceive(_ head: ResponseHead) {
        record.response = head
    }

    mutating func didDeliver(count: Int, at now: MonotonicTime) {
        record.countOfResponseBodyBytesAfterDecoding += Int64(count)
        moments.lastReceived = now
    }

    /// Ends the current exchange.
    ///
    /// - Parameters:
    ///   - isComplete: Whether the response is complete.
    ///   - protocolName: The ALPN name; kept only when there was a response.
    ///   - curlCode: libcurl's code of a failure.
    ///   - osErrno: The cause's `errno`.
    mutating func end(
        isComplete: Bool,
        protocolName: String?,
        curlCode: Int? = nil,
        osErrno: Int? = nil
    ) {
        if record.response != nil { record.networkProtocolName = protocolName }
        record.curlCode = curlCode
        record.osErrno = osErrno
        close(isComplete: isComplete)
    }

    /// Begins the record of the attempt's next request.
    mutating func begin(
        reason: TransactionMetrics.Reason,
        method: String,
        url: String,
        at now: MonotonicTime
    ) {
        moments = Moments(fetchStart: now)
        willSendBody(.none)
        record = TransactionMetrics(
            attempt: record.attempt,
            reason: reason,
            request: .init(method: method, url: url, headers: HeaderFields()),
            fetchStartDate: clock.timestamp(of: now)
        )
    }

    /// Adopts the records of parallel exchanges, in the order of their beginnings.
    mutating func adopt(_ records: [TransactionMetrics]) {
        guard !records.isEmpty else { return }
        closed = (closed + records).sorted { $0.fetchStartDate < $1.fetchStartDate }
        while closed.count > Self.mostKept {
            closed.remove(at: Self.mostKept / 2)
            omittedCount += 1
        }
    }

    /// Keeps the current exchange's record, which is complete.
    mutating func keepRecord() {
        sentBodyBytesBefore += sentBodyBytes
        if closed.count == Self.mostKept {
            closed.remove(at: Self.mostKept / 2)
            omittedCount += 1
        }
        // Without a larger array for the only record of most attempts.
        if closed.isEmpty { closed = [record] } else { closed.append(record) }
    }
}

// Sets the dates of an exchange's record and completes it.
extension TransactionRecorder {
    /// Detects a repetition by libcurl: a new connection or request after a sent head.
    mutating func splitAfterSending(at now: MonotonicTime) {
        guard didSend else { return }
        let request = record.request
        let proxy = record.proxy
        let body = body
        close(isComplete: false)
        begin(reason: .transparentRetry, method: request.method, url: request.url, at: now)
        if let proxy { willUseProxy(proxy.url) }
        willSendBody(body)
    }

    /// libcurl counts times from the start of the lookup or, with a cached address, from
    /// `nameLookup` before the socket was opened.
    mutating func connected(_ times: ConnectTimes, at now: MonotonicTime) {
        guard let connectStart = moments.connectStart else { return }
        let origin =
            moments.origin ?? connectStart + .nanoseconds(-times.nameLookup * 1000)
        func moment(_ microseconds: Int64) -> MonotonicTime {
            min(max(origin + .nanoseconds(microseconds * 1000), connectStart), now)
        }
        if moments.isNameAtHand, moments.lookupStart == nil, times.nameLookup > 0 {
            moments.lookupStart = max(min(origin, connectStart), moments.fetchStart)
        }
        if let lookupStart = moments.lookupStart {
            let end = origin + .nanoseconds(times.nameLookup * 1000)
            moments.lookupEnd = min(max(end, lookupStart), connectStart)
        }
        // For a server of FTP, libcurl may note the end after the handshake has begun; of a request
        // that it repeats, it adds the times of all connections.
        moments.tcpConnectEnd = min(moment(times.connect), moments.secureStart ?? now)
        if let secureStart = moments.secureStart, times.appConnect > 0 {
            moments.secureEnd = max(moment(times.appConnect), secureStart)
        }
        moments.connectEnd = now
    }

    /// A connection failed: record the known times of its completed steps.
    mutating func didFailToConnect(
        _ times: ConnectTimes,
        remote: TransactionMetrics.Endpoint?,
        at now: MonotonicTime
    ) {
        guard hasUnusedConnection else { return }
        connected(times, at: now)
        moments.connectEnd = nil
        if times.nameLookup == 0 { moments.lookupEnd = nil }
        // libcurl 7.88 reports the end of the TCP connect only after TLS.
        if times.connect == 0 { moments.tcpConnectEnd = nil }
        if times.connect > 0 || moments.secureStart != nil || record.proxy?.tunnel != nil {
            record.remoteEndpoint = remote
        }
    }

    mutating func close(isComplete: Bool) {
        func date(_ time: MonotonicTime?) -> Timestamp? { time.map(clock.timestamp(of:)) }
        record.domainLookupStartDate = date(moments.lookupStart)
        record.domainLookupEndDate = date(moments.lookupEnd)
        record.connectStartDate = date(moments.connectStart)
        record.tcpConnectEndDate = date(moments.tcpConnectEnd)
        record.secureConnectionStartDate = date(moments.secureStart)
        record.secureConnectionEndDate = date(moments.secureEnd)
        record.connectEndDate = date(moments.connectEnd)
        record.requestStartDate = date(moments.requestStart)
        if !isRequestSent {
            // libcurl reads more than it has sent; for a compressed body this is a lower bound.
            record.countOfRequestBodyBytesBeforeEncoding = min(
                record.countOfRequestBodyBytesBeforeEncoding,
                record.countOfRequestBodyBytesSent
            )
        }
        record.requestEndDate = isRequestSent ? date(moments.lastSent) : nil
        record.responseStartDate = date(moments.responseStart)
        record.responseEndDate = isComplete ? date(moments.lastReceived) : nil
        keepRecord()
    }
}

extension TransactionRecorder {
    /// The times of one exchange, as monotonic readings.
    struct Moments {
        var fetchStart: MonotonicTime
        /// When libcurl started the connection: its own times count from here.
        var origin: MonotonicTime?
        var lookupStart: MonotonicTime?
        /// Whether the name was in libcurl's cache.
        var isNameAtHand = false
        var lookupEnd: MonotonicTime?
        var connectStart: MonotonicTime?
        var tcpConnectEnd: MonotonicTime?
        var secureStart: MonotonicTime?
        var secureEnd: MonotonicTime?
        var connectEnd: MonotonicTime?
        var requestStart: MonotonicTime?
        /// When the last byte was sent; the request's end if its body is complete.
        var lastSent: MonotonicTime?
        var responseStart: MonotonicTime?
        var lastReceived: MonotonicTime?
    }
}
