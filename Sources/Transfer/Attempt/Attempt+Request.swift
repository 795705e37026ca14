internal import CurlKit
internal import SystemKit
internal import TransferModel

// Prepares the hop's request.
extension Attempt {
    /// Decides which credential the first request of a hop carries.
    func beginAuthentication() {
        let hop = exchange.hop
        guard exchange.authentication != nil, !hop.url.isCustom else { return }
        let start = exchange.authentication?.begin(
            hop.url,
            hasBody: exchange.carriesBody,
            hasAuthorization: hop.headers.contains { $0.name.lowercased() == "authorization" },
            known: exchange.session.knownSpaces
        )
        exchange.bodyHold.beginHop(awaitsChallenge: start == .asking)
    }

    /// Signs the next exchange's request, if its credential signs requests.
    func sign() throws(TransferFailure) {
        guard let authentication = exchange.authentication else { return }
        exchange.sent.signature = []
        exchange.sent.signature = try authentication.signature(
            for: exchange.hop,
            exchange.carriesBody ? exchange.request.body : nil
        ) {
            // Not the run's clock: a server compares the date with its own clock, and machines
            // sleep or are set right.
            Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        }
    }

    /// Chooses the route to the hop's origin.
    func chooseRoute() {
        let origin = exchange.hop.url.origin
        guard !exchange.hop.url.isCustom else { return }
        exchange.proxy.beginExchange(
            to: origin,
            by: exchange.session.route(to: origin),
            carriesBody: exchange.carriesBody,
            keepsChallenge: exchange.sent.answersChallenge,
            tunnels: exchange.request.conversationStart != nil
        )
        if let route = exchange.proxy.route { exchange.recorder.willUseProxy(route.url) }
    }

    /// Requests the rest of a file of which an earlier attempt left a part.
    ///
    /// - Returns: Whether an earlier attempt left a part.
    @discardableResult
    func beginResuming() -> Bool {
        guard exchange.part.begin(exchange.request) else { return false }
        guard let offer = exchange.part.resumption?.offer else { return true }
        exchange.hop.headers += offer.fields
        exchange.recorder.willResume()
        return true
    }

    /// Records a connection that failed before its request.
    func noteFailedConnection() {
        guard exchange.recorder.hasUnusedConnection else { return }
        let (handle, peer) = (exchange.handle, exchange.peer)
        // The name may stand for another address by now.
        if !peer.isAddress { exchange.session.unreachedHosts.insert(peer.host) }
        let remote = handle.remoteEndpoint.map {
            TransactionMetrics.Endpoint(address: $0.address, port: $0.port)
        }
        exchange.recorder.didFailToConnect(handle.connectTimes, remote: remote, at: .now)
    }
}
