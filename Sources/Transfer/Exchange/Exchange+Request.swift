internal import CurlKit
internal import SystemKit
internal import TransferModel

// Before a request: prepares the policies for it, and describes it.
extension Exchange {
    /// Prepares the policies for the first request of a hop.
    func beginHop() {
        policies.beginHop(hop, carriesBody: body.isCarried, known: session.knownSpaces)
    }

    /// Signs the next exchange's request, if its credential signs requests.
    func sign() throws(TransferFailure) {
        let content = body.isCarried ? request.body : nil
        try policies.authentication?.sign(hop, content) {
            // Not the run's clock: a server compares the date with its own clock, and machines
            // sleep or are set right.
            Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        }
    }

    /// Chooses the route to the hop's origin.
    func chooseRoute() {
        guard !hop.url.isCustom else { return }
        policies.proxy.beginExchange(
            to: hop.url.origin,
            by: session.route(to: hop.url.origin),
            carriesBody: body.isCarried,
            keepsChallenge: sent.answersChallenge,
            tunnels: request.conversationStart != nil
        )
        if let route = policies.proxy.route { recorder.willUseProxy(route.url) }
    }

    /// Decides by which interfaces the request may leave; returns the failure when there is none.
    func choosePath() -> TransferFailure? {
        policies.beginPath(to: peer, of: session).map(failure(of:))
    }

    /// Requests the rest of a file of which an earlier attempt left a part.
    ///
    /// - Returns: Whether an earlier attempt left a part.
    @discardableResult
    func beginResuming() -> Bool {
        guard policies.part.begin(request) else { return false }
        guard let offer = policies.part.resumption?.offer else { return true }
        hop.headers += offer.fields
        recorder.willResume()
        return true
    }

    /// The request of the hop as it is sent, with the fields of an upload, or with those of its
    /// signature and of the cache.
    fileprivate var completeRequest: RequestSpec {
        if let upload = policies.upload {
            let headers = hop.headers + upload.machine.fields
            return RequestSpec(method: hop.method, url: hop.url, headers: headers)
        }
        var request = policies.authentication?.signed(hop) ?? hop
        // Without a copy where nothing is added.
        if let added = policies.caching?.addedFields, !added.isEmpty { request.headers += added }
        return request
    }

    /// All fields of the request by which a response may vary.
    var varyingFields: [HeaderField] {
        var fields = hop.headers
        func add(_ name: String, _ value: String?) {
            if let value, !fields.contains(name) {
                fields.append(HeaderField(name: name, value: value))
            }
        }
        add("User-Agent", RunnerVersion.userAgent)
        add("Accept-Encoding", request.decodesBody ? BodyDecoding.acceptEncoding : "identity")
        add("Cookie", cookieField(for: hop.url))
        return fields
    }

    /// The origin to connect to: the proxy, if there is one, or the session's other server for the
    /// host.
    var peer: Origin {
        let origin = hop.url.origin
        return policies.proxy.route?.origin ?? session.configuration.connectTarget(for: origin)
            ?? origin
    }

    /// The cookies that the current hop carries, or would to another URL; nil for none.
    func cookieField(for url: HTTPURL) -> String? {
        session.cookies?.field(for: url, with: hop.headers, first: request.request.url)
    }

    /// The demands of the hop's request on its connection.
    var connectionDemand: ConnectionPolicy.Demand {
        ConnectionPolicy.Demand(
            newestVersion: newestVersion,
            // The method first: a call with the request copies it.
            isAlone: request.purpose == .segment
                || !RequestSpec.isSafe(hop.method)
                    && request.resending.requiresFreshConnection(for: hop),
            isUpload: policies.upload != nil
        )
    }

    private var newestVersion: HTTPProtocol {
        if policies.connection.keepsToHTTP1 || !session.offersStreams { return .http1 }
        let mayUseStream =
            session.streamTrust.mayCarry(
                hop.method,
                carriesBody: body.isCarried,
                mayRepeat: request.resending.allows(hop)
            )
        return mayUseStream ? session.httpProtocol(for: hop.url.origin) : .http1
    }

    /// Whether the hop's request needs a new connection.
    ///
    /// The connection of an upload must not be about to end: the end would cost a part. An idle
    /// connection may be dead, which shows when the body has begun to flow.
    var requiresFreshConnection: Bool {
        policies.connection.requiresFreshConnection || policies.upload != nil
            || request.requiresFreshConnection || body.isStream
    }

    /// The bytes that the attempt has to send; nil when unknown.
    var expectedToSend: Int64? { policies.upload?.machine.total ?? body.size(of: request.body) }

    /// The URL of the running request for a report.
    var reportedURL: String {
        if request.stream != nil { return StreamSpec.address(hop.url.text) }
        return policies.upload?.reported(hop.url) ?? hop.url.text
    }

    /// A response's head for a report.
    func reported(_ head: ResponseHead) -> ResponseHead {
        policies.upload?.reported(head, from: hop.url) ?? head
    }
}

extension EasyRequest {
    /// The request of an exchange's hop for libcurl.
    convenience init(of exchange: Exchange) {
        let session = exchange.session
        let (url, carriesBody) = (exchange.hop.url, exchange.body.isCarried)
        let authentication = exchange.policies.authentication?.easy
        // Without TLS and bodies, the callbacks of the response report all traffic, unless libcurl
        // passes over a proxy's response.
        exchange.sent.hearsTraffic =
            carriesBody || url.origin.scheme == .https || exchange.policies.proxy.route != nil
            || authentication?.takesSeveralRequests == true
        exchange.sent.cookies = exchange.cookieField(for: url)
        let sentRequest = exchange.completeRequest
        self.init(
            url: sentRequest.url.sentText,
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
            requiresFreshConnection: exchange.requiresFreshConnection,
            hearsTraffic: exchange.sent.hearsTraffic
        )
        let isUnreached = session.unreachedHosts.remove(exchange.peer.host) != nil
        resolvesAnew = exchange.policies.connection.takeResolvesAnew(isUnreached: isUnreached)
        httpProtocol = exchange.policies.connection.version(for: exchange.connectionDemand)
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
