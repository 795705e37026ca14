internal import CurlKit
internal import TransferModel

// Describes the hop's request.
extension Exchange {
    /// The origin to connect to: the proxy, if there is one.
    var peer: Origin { proxy.route?.origin ?? hop.url.origin }

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
            isUpload: upload != nil
        )
    }

    private var newestVersion: HTTPProtocol {
        if connection.keepsToHTTP1 || !session.offersStreams { return .http1 }
        let mayUseStream =
            session.streamTrust.mayCarry(
                hop.method,
                carriesBody: body.isCarried,
                mayRepeat: request.resending.allows(hop)
            )
        return mayUseStream ? session.httpProtocol(for: hop.url.origin) : .http1
    }

    /// The bytes that the attempt has to send; nil when unknown.
    var expectedToSend: Int64? { upload?.machine.total ?? body.size(of: request.body) }

    /// The URL of the running request for a report.
    var reportedURL: String {
        if request.stream != nil { return StreamSpec.address(hop.url.text) }
        return upload?.reported(hop.url) ?? hop.url.text
    }

    /// A response's head for a report.
    func reported(_ head: ResponseHead) -> ResponseHead {
        upload?.reported(head, from: hop.url) ?? head
    }
}
