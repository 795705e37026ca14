internal import CurlKit
internal import TransferModel

// Makes of the hop's request what libcurl is asked for.
extension Attempt {
    func easyRequest() -> EasyRequest {
        // Without TLS and bodies there is nothing to hear that the callbacks of the response do not tell, unless libcurl
        // passes over a proxy's answer.
        hearsTraffic = carriesBody || hop.url.origin.scheme == .https || route != nil
        let authentication = easyAuthentication()
        if authentication?.takesSeveralRequests == true { hearsTraffic = true }
        hasAnsweredChallenge = answersChallenge
        defer { answersChallenge = false }
        sentCookies = cookieField(for: hop.url)
        let sent = sentHop
        var easyRequest = EasyRequest(
            url: sent.url.sentText,
            method: hop.method,
            headerLines: session.headerLines(
                for: sent,
                cookies: sentCookies,
                carriesBody: carriesBody,
                acceptsCodings: request.decodesBody,
                asksFirst: holdsBodyBack
            ),
            body: easyBody(),
            proxy: dialogue.asksFirst ? route?.asking : route?.easy,
            authentication: authentication,
            answersChallenge: answersChallenge,
            // An idle connection may be dead, which is found out when the body has begun to flow.
            requiresFreshConnection: requiresFreshConnection,
            hearsTraffic: hearsTraffic
        )
        easyRequest.resolvesAnew = takeResolvesAnew()
        easyRequest.httpProtocol = httpProtocol
        if authentication?.isConnectionBound == true, easyRequest.httpProtocol != .http1 {
            // One with streams has others on it.
            easyRequest.httpProtocol = .http1
            easyRequest.requiresFreshConnection = true
        }
        easyRequest.clientCertificate = session.clientCertificate(for: hop.url.origin)
        return easyRequest
    }

    /// Whether the next request looks its host up, because the last connection to it did not come about; asked once for each.
    ///
    /// Otherwise libcurl would stay with addresses that are of no use for a minute, longer than most tasks are tried.
    private func takeResolvesAnew() -> Bool {
        let hasFailed = session.unreachedHosts.remove(peer.host) != nil
        defer { resolvesAnew = false }
        return hasFailed || resolvesAnew
    }

    /// Each request of an upload has a connection of its own: one that the server is about to end would cost it a part.
    private var requiresFreshConnection: Bool {
        isResent || offersAllVersions || reuse.requiresFreshConnection || upload != nil
            || request.requiresFreshConnection || isStream
    }

    /// What the hop offers.
    ///
    /// A request that must not be sent twice has a connection of its own, which HTTP/1.1 alone warrants: libcurl would
    /// let others join a connection with streams, take it for a reused one, and send the request again when it dies.
    ///
    /// A server without HTTP/1.1 gets it all the same: `mayRepeat` keeps such a request from being sent again.
    var httpProtocol: HTTPProtocol {
        let offered = session.httpProtocol(for: hop.url.origin)
        guard !offersAllVersions else { return offered }
        // Informational responses over connections with streams are told of by chance.
        guard upload == nil else { return .http1 }
        return request.resending.requiresFreshConnection(for: hop) ? .http1 : offered
    }

    /// Whether the session has a newer version of HTTP than the running exchange offers.
    var mayOfferMore: Bool {
        httpProtocol == .http1 && session.httpProtocol(for: hop.url.origin) != .http1
    }

    /// Whether a request may go over a new connection whose server has chosen none of the versions of HTTP that it was offered.
    ///
    /// It may be one without HTTP/1.1: where the session has more to offer, the connection is given up, and nothing was sent.
    func mayBeginUnchosen() -> Bool {
        guard mayOfferMore, !session.originsWithoutALPN.contains(hop.url.origin) else {
            hasUnchosenVersion = true
            return true
        }
        lacksVersion = true
        return false
    }

    func easyBody() -> EasyRequest.Body {
        lacksBody = false
        guard carriesBody else { return .none }
        if let part = appendedBytes {
            recorder.willSendBody(.memory(sent: part.count, original: part.count))
            return .bytes(part)
        }
        switch request.body {
        case .bytes(let bytes):
            recorder.willSendBody(.memory(sent: bytes.count, original: bytes.count))
            return .bytes(bytes)
        case .compressed(let bytes, let originalCount):
            recorder.willSendBody(.memory(sent: bytes.count, original: originalCount))
            return .bytes(bytes)
        case nil:
            return .none
        default:
            recorder.willSendBody(.pieces(total: body?.size))
            return .stream(size: body?.size)
        }
    }

    /// Whether nobody knows the length of the body.
    var isStream: Bool {
        carriesBody && body.map { $0.size == nil } ?? false
    }
}
