internal import CurlKit
internal import SystemKit
internal import TransferModel

// Prepares the hop's request.
extension Attempt {
    /// Prepares the policies for the first request of a hop.
    func beginHop() {
        exchange.policies.beginHop(
            exchange.hop,
            carriesBody: exchange.body.isCarried,
            known: exchange.session.knownSpaces
        )
    }

    /// Signs the next exchange's request, if its credential signs requests.
    func sign() throws(TransferFailure) {
        try exchange.policies.authentication?.sign(
            exchange.hop,
            exchange.body.isCarried ? exchange.request.body : nil
        )
    }

    /// Chooses the route to the hop's origin.
    func chooseRoute() {
        let origin = exchange.hop.url.origin
        guard !exchange.hop.url.isCustom else { return }
        exchange.policies.proxy.beginExchange(
            to: origin,
            by: exchange.session.route(to: origin),
            carriesBody: exchange.body.isCarried,
            keepsChallenge: exchange.sent.answersChallenge,
            tunnels: exchange.request.conversation != nil
        )
        if let route = exchange.policies.proxy.route { exchange.recorder.willUseProxy(route.url) }
    }

    /// Requests the rest of a file of which an earlier attempt left a part.
    ///
    /// - Returns: Whether an earlier attempt left a part.
    @discardableResult
    func beginResuming() -> Bool {
        guard exchange.policies.part.begin(exchange.request) else { return false }
        guard let offer = exchange.policies.part.resumption?.offer else { return true }
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
