internal import CurlKit
internal import SystemKit
internal import TransferModel

// Makes the hop's request for libcurl.
extension Exchange {
    /// Decides which credential the first request of a hop carries.
    func beginAuthentication() {
        guard authentication != nil else { return }
        let start = authentication?.begin(
            hop.url,
            hasBody: carriesBody,
            hasAuthorization: hop.headers.contains { $0.name.lowercased() == "authorization" },
            known: session.knownSpaces
        )
        bodyHold.beginHop(awaitsChallenge: start == .asking)
    }

    /// Signs the next exchange's request, if its credential signs requests.
    func sign() throws(TransferFailure) {
        guard let authentication else { return }
        sent.signature = []
        sent.signature = try authentication.signature(
            for: hop,
            carriesBody ? request.body : nil
        ) {
            // Not the run's clock: a server compares the date with its own clock, and machines
            // sleep or are set right.
            Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        }
    }

    /// The request of the hop for libcurl.
    func easyRequest() -> EasyRequest {
        // Without TLS and bodies there is nothing to hear that the callbacks of the response do not
        // tell, unless libcurl passes over a proxy's answer.
        sent.hearsTraffic = carriesBody || hop.url.origin.scheme == .https || proxy.route != nil
        let authentication = authentication?.easy
        if authentication?.takesSeveralRequests == true { sent.hearsTraffic = true }
        sent.cookies = cookieField(for: hop.url)
        let sentHop = sentHop
        var easyRequest = EasyRequest(
            url: sentHop.url.sentText,
            method: hop.method,
            headerLines: session.headerLines(
                for: sentHop,
                cookies: sent.cookies,
                carriesBody: carriesBody,
                acceptsCodings: request.decodesBody,
                asksFirst: bodyHold.holdsBodyBack(forProxy: proxy.asksFirst)
            ),
            body: easyBody(),
            proxy: proxy.easy,
            authentication: authentication,
            answersChallenge: sent.takeAnswersChallenge(),
            // An idle connection may be dead, which is found out when the body has begun to flow.
            requiresFreshConnection: requiresFreshConnection,
            hearsTraffic: sent.hearsTraffic
        )
        easyRequest.resolvesAnew = connection.takeResolvesAnew(
            isUnreached: session.unreachedHosts.remove(peer.host) != nil
        )
        easyRequest.httpProtocol = connection.version(for: connectionDemand)
        if authentication?.isConnectionBound == true, easyRequest.httpProtocol != .http1 {
            // One with streams has others on it.
            easyRequest.httpProtocol = .http1
            easyRequest.requiresFreshConnection = true
        }
        easyRequest.clientCertificate = session.clientCertificate(for: hop.url.origin)
        return easyRequest
    }

    /// The request of the current hop as it is sent, with the fields of an upload or those that
    /// sign it: never both.
    var sentHop: RequestSpec {
        if let upload {
            return RequestSpec(
                method: hop.method,
                url: hop.url,
                headers: hop.headers + upload.machine.fields
            )
        }
        if sent.signature.isEmpty, caching?.addedFields.isEmpty ?? true { return hop }
        return RequestSpec(
            method: hop.method,
            url: sent.signature.isEmpty ? hop.url : hop.url.normalized,
            headers: hop.headers + sent.signature + (caching?.addedFields ?? [])
        )
    }

    /// The cookies that the current hop carries, or would to another URL; nil for none.
    func cookieField(for url: HTTPURL) -> String? {
        session.cookies?.field(for: url, with: hop.headers, first: request.request.url)
    }

    /// Each request of an upload has a connection of its own: one that the server is about to end
    /// would cost it a part.
    private var requiresFreshConnection: Bool {
        connection.requiresFreshConnection || upload != nil || request.requiresFreshConnection
            || isStream
    }

    /// What the hop's request demands of its connection.
    var connectionDemand: ConnectionPolicy.Demand {
        ConnectionPolicy.Demand(
            newestVersion: session.httpProtocol(for: hop.url.origin),
            // The method first: a call with the request copies it.
            isSentOnce: !RequestSpec.isSafe(hop.method)
                && request.resending.requiresFreshConnection(for: hop),
            isUpload: upload != nil
        )
    }

    func easyBody() -> EasyRequest.Body {
        bodyHold.beginBody()
        guard carriesBody else { return .none }
        switch request.body {
        case .bytes(let bytes): return easyBody(bytes, originalCount: bytes.count)
        case .compressed(let bytes, let originalCount):
            return easyBody(bytes, originalCount: originalCount)
        case nil:
            return .none
        default:
            recorder.willSendBody(.pieces(total: body?.size))
            return .stream(size: body?.size)
        }
    }

    private func easyBody(_ bytes: [UInt8], originalCount: Int) -> EasyRequest.Body {
        let part = upload?.appended(of: bytes)
        let count = part?.count
        recorder.willSendBody(
            .memory(sent: count ?? bytes.count, original: count ?? originalCount)
        )
        return .bytes(part ?? bytes)
    }

    /// Whether the length of the body is unknown.
    var isStream: Bool {
        carriesBody && body.map { $0.size == nil } ?? false
    }

    /// The length of the whole body; nil when unknown, or without one.
    var bodySize: Int64? {
        switch request.body {
        case .bytes(let bytes), .compressed(let bytes, _): Int64(bytes.count)
        default: body?.size
        }
    }

    /// What the attempt has to send; nil when unknown.
    var expectedToSend: Int64? { upload?.machine.total ?? bodySize }

    /// The URL of the running request for a report.
    var reportedURL: String { upload?.reported(hop.url) ?? hop.url.text }

    /// A response's head for a report.
    func reported(_ head: ResponseHead) -> ResponseHead {
        upload?.reported(head, from: hop.url) ?? head
    }
}
