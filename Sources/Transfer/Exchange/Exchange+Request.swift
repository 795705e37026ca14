internal import CurlKit
internal import TransferModel

// Describes the hop's request.
extension Exchange {
    /// The origin to connect to: the proxy, if there is one.
    var peer: Origin { policies.proxy.route?.origin ?? hop.url.origin }

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
    /// That of an upload must not be about to end: that would cost a part. An idle connection may
    /// be dead, which shows when the body has begun to flow.
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
