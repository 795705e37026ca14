internal import CurlKit
internal import TransferModel

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
