internal import CurlKit
internal import TransferModel

// Makes of the hop's request what libcurl is asked for.
extension Attempt {
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
                asksFirst: holdsBodyBack
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
}
