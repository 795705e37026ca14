internal import CurlKit
internal import TransferModel

extension EasyRequest {
    /// The request of an exchange's hop for libcurl.
    convenience init(of exchange: Exchange) {
        let session = exchange.session
        let (url, carriesBody) = (exchange.hop.url, exchange.carriesBody)
        let authentication = exchange.authentication?.easy
        // Without TLS and bodies, the callbacks of the response report all traffic, unless libcurl
        // passes over a proxy's response.
        exchange.sent.hearsTraffic =
            carriesBody || url.origin.scheme == .https || exchange.proxy.route != nil
            || authentication?.takesSeveralRequests == true
        exchange.sent.cookies = exchange.cookieField(for: url)
        let sentRequest = exchange.sent.request(
            of: exchange.hop,
            exchange.upload,
            exchange.caching
        )
        self.init(
            url: sentRequest.url.sentText,
            method: sentRequest.method,
            headerLines: session.headerLines(
                for: sentRequest,
                cookies: exchange.sent.cookies,
                carriesBody: carriesBody,
                acceptsCodings: exchange.request.decodesBody,
                asksFirst: exchange.bodyHold.holdsBodyBack(forProxy: exchange.proxy.asksFirst)
            ),
            body: Body(of: exchange),
            proxy: exchange.proxy.easy,
            authentication: authentication,
            answersChallenge: exchange.sent.takeAnswersChallenge(),
            // The connection of an upload's request must not be about to end: that would cost a
            // part. An idle connection may be dead, which shows when the body has begun to flow.
            requiresFreshConnection: exchange.connection.requiresFreshConnection
                || exchange.upload != nil || exchange.request.requiresFreshConnection
                || exchange.isStream,
            hearsTraffic: exchange.sent.hearsTraffic
        )
        let isUnreached = session.unreachedHosts.remove(exchange.peer.host) != nil
        resolvesAnew = exchange.connection.takeResolvesAnew(isUnreached: isUnreached)
        httpProtocol = exchange.connection.version(for: exchange.connectionDemand)
        if authentication?.isConnectionBound == true, httpProtocol != .http1 {
            // A connection with streams has other exchanges.
            httpProtocol = .http1
            requiresFreshConnection = true
        }
        clientCertificate = session.clientCertificate(for: url.origin)
        if let transfer = exchange.sent.file {
            transfer.begin(at: exchange.part.resumption?.offer?.offset ?? 0)
            if carriesBody { transfer.willSend(self, to: sentRequest.url) }
            file = transfer.easy
            hearsTraffic = true
            exchange.sent.hearsTraffic = true
        }
        if exchange.request.conversationStart != nil {
            isConnectOnly = true
            // The opening handshake is one of HTTP/1.1.
            offersALPN = exchange.request.webSocket != nil
            requiresFreshConnection = true
        }
    }
}

extension EasyRequest.Body {
    /// The body of an exchange's request, which the exchange records.
    init(of exchange: Exchange) {
        exchange.bodyHold.beginBody()
        self = .none
        guard exchange.carriesBody else { return }
        let (bytes, originalCount): ([UInt8], Int)
        switch exchange.request.body {
        case nil: return
        case .bytes(let whole): (bytes, originalCount) = (whole, whole.count)
        case .compressed(let whole, let original): (bytes, originalCount) = (whole, original)
        default:
            let size = exchange.body?.size
            exchange.recorder.willSendBody(.pieces(total: size))
            self = .stream(size: size)
            return
        }
        let part = exchange.upload?.appended(of: bytes)
        exchange.recorder.willSendBody(
            .memory(sent: part?.count ?? bytes.count, original: part?.count ?? originalCount)
        )
        self = .bytes(part ?? bytes)
    }
}
