internal import CurlKit
internal import SystemKit
internal import TransferModel

extension EasyRequest {
    /// The request of an exchange's hop for libcurl.
    convenience init(of exchange: Exchange) {
        let session = exchange.session
        let (url, carriesBody) = (exchange.hop.url, exchange.body.isCarried)
        let authentication = exchange.policies.authentication?.easy
        exchange.sent.hearsTraffic = Self.hearsTraffic(exchange)
        exchange.sent.cookies = exchange.cookieField(for: url)
        let sentRequest = RequestSpec(sentBy: exchange)
        // libcurl takes each new URL apart, and most requests go to the server of the last one. A
        // proxy needs the whole URL, and so does libcurl to answer Digest.
        let isOfSite =
            exchange.file == nil && exchange.policies.proxy.route == nil && authentication == nil
        self.init(
            url: isOfSite ? sentRequest.url.site : sentRequest.url.sentText,
            target: isOfSite ? sentRequest.url.requestTarget : nil,
            method: sentRequest.method,
            headerLines: session.headerLines(
                for: sentRequest,
                cookies: exchange.sent.cookies,
                carriesBody: carriesBody,
                acceptsCodings: exchange.request.decodesBody,
                asksFirst: exchange.policies.bodyHold.holdsBodyBack(
                    forProxy: exchange.policies.proxy.asksFirst
                )
            ),
            body: Body(of: exchange),
            proxy: exchange.policies.proxy.easy,
            authentication: authentication,
            answersChallenge: exchange.sent.takeAnswersChallenge(),
            requiresFreshConnection: Self.requiresFreshConnection(exchange),
            hearsTraffic: exchange.sent.hearsTraffic
        )
        let isUnreached =
            !session.unreachedHosts.isEmpty
            && session.unreachedHosts.remove(exchange.peer.host) != nil
        resolvesAnew = exchange.policies.connection.takeResolvesAnew(isUnreached: isUnreached)
        httpProtocol = exchange.policies.connection.version(for: .init(of: exchange))
        if authentication?.isConnectionBound == true, httpProtocol != .http1 {
            // A connection with streams has other exchanges.
            httpProtocol = .http1
            requiresFreshConnection = true
        }
        clientCertificate = session.clientCertificate(for: url.origin)
        if let transfer = exchange.file {
            transfer.begin(at: exchange.policies.part.resumption?.offer?.offset ?? 0)
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

    /// Whether libcurl must report all traffic of the hop's request.
    ///
    /// Without TLS and bodies in pieces, the callbacks of the response report it, unless libcurl
    /// passes over a proxy's response.
    private static func hearsTraffic(_ exchange: Exchange) -> Bool {
        let isInPieces =
            exchange.body.reader != nil || exchange.policies.upload != nil
            || exchange.policies.pace != nil
        return exchange.body.isCarried && isInPieces || exchange.hop.url.origin.scheme == .https
            || exchange.policies.proxy.route != nil
            || exchange.policies.authentication?.easy?.takesSeveralRequests == true
    }

    /// Whether the hop's request needs a new connection.
    ///
    /// The connection of an upload must not be about to end: the end would cost a part. An idle
    /// connection may be dead, which shows when the body has begun to flow.
    private static func requiresFreshConnection(_ exchange: Exchange) -> Bool {
        exchange.policies.connection.requiresFreshConnection || exchange.policies.upload != nil
            || exchange.request.requiresFreshConnection || exchange.body.isStream
    }
}

extension EasyRequest.Body {
    /// The body of an exchange's request, which the exchange records.
    init(of exchange: Exchange) {
        exchange.policies.bodyHold.beginBody()
        self = .none
        guard exchange.body.isCarried else { return }
        let (bytes, originalCount): ([UInt8], Int)
        switch exchange.request.body {
        case nil: return
        case .bytes(let whole): (bytes, originalCount) = (whole, whole.count)
        case .compressed(let whole, let original): (bytes, originalCount) = (whole, original)
        default:
            let size = exchange.body.reader?.size
            exchange.recorder.willSendBody(.pieces(total: size))
            self = .stream(size: size)
            return
        }
        let part = exchange.policies.upload?.appended(of: bytes)
        exchange.recorder.willSendBody(
            .memory(sent: part?.count ?? bytes.count, original: part?.count ?? originalCount)
        )
        self = .bytes(part ?? bytes)
    }
}

extension RequestSpec {
    /// The request of an exchange's hop as it is sent, with the fields of an upload, or with those
    /// of its signature and of the cache.
    fileprivate init(sentBy exchange: Exchange) {
        let hop = exchange.hop
        if let upload = exchange.policies.upload {
            let headers = hop.headers + upload.machine.fields
            self = RequestSpec(method: hop.method, url: hop.url, headers: headers)
            return
        }
        self = exchange.policies.authentication?.signed(hop) ?? hop
        // Without a copy where nothing is added.
        if let added = exchange.policies.caching?.addedFields, !added.isEmpty { headers += added }
    }
}

extension ConnectionPolicy.Demand {
    /// The demands of the request of an exchange's hop on its connection.
    init(of exchange: Exchange) {
        let method = exchange.hop.method
        newestVersion = Self.newestVersion(for: exchange)
        // The method first: a call with the request copies it.
        isAlone =
            exchange.request.purpose == .segment
            || !RequestSpec.isSafe(method)
                && exchange.request.resending.requiresFreshConnection(for: exchange.hop)
        isUpload = exchange.policies.upload != nil
    }

    private static func newestVersion(for exchange: Exchange) -> HTTPProtocol {
        let session = exchange.session
        if exchange.policies.connection.keepsToHTTP1 || !session.offersStreams { return .http1 }
        let mayUseStream =
            session.streamTrust.mayCarry(
                exchange.hop.method,
                carriesBody: exchange.body.isCarried,
                mayRepeat: exchange.request.resending.allows(exchange.hop)
            )
        return mayUseStream ? session.httpProtocol(for: exchange.hop.url.origin) : .http1
    }
}
