internal import CurlKit
internal import TransferModel

/// Turns what happens on an easy handle into transaction records, one per exchange.
///
/// libcurl may send a request again by itself when an idle connection has died; that shows as a
/// second connection or request after a first head has left, and becomes a record of its own.
struct TransactionRecorder {
    /// How the running exchange's request body is handed to libcurl.
    enum Body {
        case none
        /// At once: so many bytes, and how many they were before their encoding.
        case memory(sent: Int, original: Int)
        /// Piece by piece; nil when only the end tells the length.
        case pieces(total: Int64?)
    }

    /// Records of one attempt that are kept: the first half and the last half of them.
    private static let mostKept = 64

    let clock: RunClock
    var moments: Moments
    var record: TransactionMetrics
    /// Whether a head has left since the attempt began: a redirect or a repetition does not undo
    /// that.
    private(set) var hasSentAnything = false
    /// Whether a byte of a request's body has.
    private(set) var hasSentBody = false
    var body = Body.none
    /// How many bytes of the request body must leave before the request is whole; `max` while
    /// nobody knows.
    private var bodyCount: Int64 = 0
    /// The records that are closed already.
    private(set) var closed: [TransactionMetrics] = []
    /// How many between them are not kept: an upload in small parts has any number.
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
        moments = Moments(fetchStart: now)
        record = TransactionMetrics(
            attempt: attempt,
            reason: reason,
            request: .init(method: method, url: url, headers: HeaderFields()),
            fetchStartDate: clock.timestamp(of: now)
        )
    }

    /// Whether any byte of the running exchange's request has left.
    var didSend: Bool { record.countOfRequestHeaderBytesSent > 0 }

    /// Where the running exchange is.
    var phase: TransferFailure.Phase {
        if moments.responseStart != nil { return .receive }
        if moments.requestStart != nil { return isRequestSent ? .wait : .send }
        if moments.secureStart != nil { return .tls }
        if moments.connectStart != nil { return .connect }
        return moments.lookupStart != nil ? .resolve : .prepare
    }

    /// Body bytes of the running exchange that were delivered.
    var deliveredBytes: Int64 { record.countOfResponseBodyBytesAfterDecoding }
    /// Body bytes of the running exchange that have left, without the chunks around those of a
    /// stream.
    var sentBodyBytes: Int64 {
        guard case .pieces(total: nil) = body else { return record.countOfRequestBodyBytesSent }
        let (given, sent) = (
            record.countOfRequestBodyBytesBeforeEncoding, record.countOfRequestBodyBytesSent
        )
        // libcurl is handed more than it has sent.
        return isRequestSent ? given : min(given, sent)
    }
    /// Those of the exchanges that have ended.
    private(set) var sentBodyBytesBefore: Int64 = 0
    var receivedBodyBytes: Int64 { record.countOfResponseBodyBytesReceived }

    /// Whether the running exchange's whole request has left; of a body whose end alone tells its
    /// length, that its end was reached.
    var isRequestSent: Bool {
        if record.resourceFetchType == .localCache { return true }
        return didSend && record.countOfRequestBodyBytesSent >= bodyCount
    }

    /// Whether the running exchange's request has an `Authorization`.
    var hasSentAuthorization: Bool { record.request.headers.firstValue(of: "authorization") != nil }
    /// The `Content-Length` of the running exchange's request.
    var sentContentLength: String? { record.request.headers["content-length"] }

    /// Whether a connection was ready for the running exchange.
    var hasBegunRequest: Bool { moments.requestStart != nil }
    /// Whether a connection was begun that no request went over.
    var hasUnusedConnection: Bool { moments.connectStart != nil && !hasBegunRequest }

    /// The running exchange asks for the rest of what is there.
    mutating func willResume() {
        record.reason = .resume
    }

    /// The running exchange asks whether a stored response still holds.
    mutating func willRevalidate() {
        if record.reason != .redirect { record.reason = .revalidation }
    }

    /// The running exchange is answered by a stored response, at once.
    mutating func didFind(_ head: ResponseHead, at now: MonotonicTime) {
        record.resourceFetchType = .localCache
        if record.reason != .redirect { record.reason = .cacheHit }
        record.response = head
        moments.requestStart = now
        moments.lastSent = now
        moments.responseStart = now
        moments.lastReceived = now
    }

    // MARK: - Proxies

    /// The running exchange goes by a proxy.
    mutating func willUseProxy(_ url: String) {
        record.proxy = TransactionMetrics.Proxy(url: url)
    }

    /// A line of a proxy's answer to being asked for a tunnel has come; the status is nil until its
    /// head is whole.
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

    /// The running exchange has a body.
    mutating func willSendBody(_ body: Body) {
        self.body = body
        didRewindBody()
    }

    /// A host is about to be made an address; `isLookup` is false when it is one already.
    mutating func didStartResolving(isLookup: Bool, at now: MonotonicTime) {
        splitAfterSending(at: now)
        // A SOCKS proxy that is given addresses is connected to before the origin's name is looked
        // up.
        guard moments.connectStart == nil else { return }
        moments.origin = now
        if isLookup { moments.lookupStart = now }
    }

    /// A socket is opened; `isNamed` is false when what is connected to is an address, as it was
    /// given.
    mutating func didOpenSocket(isNamed: Bool, at now: MonotonicTime) {
        splitAfterSending(at: now)
        // The first address that is tried begins the connect; later ones are part of it.
        guard moments.connectStart == nil else { return }
        moments.connectStart = now
        // libcurl does not tell of a name that it has at hand.
        moments.isNameAtHand = isNamed && moments.lookupStart == nil
    }

    /// A connection is ready.
    ///
    /// - Parameters:
    ///   - connection: Its two ends.
    ///   - identifier: A number that stays the same while the connection is reused.
    ///   - times: libcurl's times of opening it; asked for only when it is a new one.
    ///   - tls: Its TLS.
    ///   - serverTrust: How its other end was verified; nil without TLS.
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
            record.negotiatedTLSProtocolVersion = .init(
                raw: tls.version,
                name: tls.versionName
            )
            record.negotiatedTLSCipherSuite = .init(
                raw: tls.cipherSuite,
                name: tls.cipherSuiteName
            )
        }
    }

    /// The running exchange goes over that interface.
    mutating func willUse(_ path: TransactionMetrics.Path) { record.path = path }

    /// Whether the running exchange's connection may use several paths.
    mutating func noteMultipath(_ isMultipath: Bool) { record.isMultipath = isMultipath }

    /// Whether the running exchange has opened a connection of its own.
    var hasNewConnection: Bool { moments.connectStart != nil }

    /// The head has left; it asks for `url` when that is written otherwise than what was wanted.
    mutating func didSendHead(_ bytes: Span<UInt8>, asking url: String?, at now: MonotonicTime) {
        // What asks a proxy for a tunnel is part of connecting, and not for the report: it may
        // carry credentials.
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
        // Behind the request line stand the fields.
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

    /// The response's body of that length went by unseen: since its version 8 libcurl does not tell
    /// of what it reads and throws away because it answers the challenge that came with it.
    mutating func didPassOver(body length: Int64) {
        guard record.countOfResponseBodyBytesReceived == 0 else { return }
        record.countOfResponseBodyBytesReceived = length
    }

    /// The server has refused the running exchange's request without acting on it, and is asked
    /// once more.
    mutating func didGetRefusal() {
        hasSentAnything = false
        hasSentBody = false
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

    /// A line of a head has come; the final response begins with the first one for which `isFinal`
    /// is set.
    mutating func didReceiveHead(count: Int, isFinal: Bool, at now: MonotonicTime) {
        if isFinal, moments.responseStart == nil { moments.responseStart = now }
        if let responseStart = moments.responseStart {
            record.countOfResponseHeaderBytesReceived += Int64(count)
            moments.lastReceived = max(now, responseStart)
        } else {
            record.countOfInformationalBytesReceived += Int64(count)
        }
    }

    /// The head of an informational response is whole.
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

    /// Ends the running exchange.
    ///
    /// - Parameters:
    ///   - isComplete: Whether the response is whole.
    ///   - protocolName: The ALPN name; kept only when there was a response.
    ///   - curlCode: libcurl's number when it failed.
    ///   - osErrno: The `errno` behind it.
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

    /// Begins the record of the next request of the same attempt.
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

    /// Keeps the running exchange's record, which is complete.
    mutating func keepRecord() {
        sentBodyBytesBefore += sentBodyBytes
        if closed.count == Self.mostKept {
            closed.remove(at: Self.mostKept / 2)
            omittedCount += 1
        }
        closed.append(record)
    }
}
