internal import CurlKit
internal import SystemKit
internal import TransferModel

// Before a request: prepares the policies for it.
extension Exchange {
    /// Prepares the policies for the first request of a hop.
    func beginHop(by cause: ExchangePolicies.HopCause) {
        policies.beginHop(
            hop,
            by: cause,
            carriesBody: body.isCarried,
            known: session.acceptedCredentials
        )
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

    /// The origin to connect to: the proxy, if there is one, or the session's other server for the
    /// host.
    var peer: Origin {
        let origin = hop.url.origin
        return policies.proxy.route?.origin ?? session.configuration.connectTo.target(for: origin)
            ?? origin
    }

    /// The cookies that the current hop carries, or would to another URL; nil for none.
    func cookieField(for url: TransferURL) -> String? {
        session.cookies?.field(for: url, with: hop.headers, first: request.request.url)
    }

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
