internal import CurlKit
internal import HTTPCache
internal import TransferModel

extension Attempt {
    /// Follows a redirect, or ends with it.
    func follow() throws(TransferFailure) -> Next {
        guard let head = exchange.head else { return finish() }
        let hop = exchange.hop
        let (carriesBody, caching) = (exchange.body.isCarried, exchange.policies.caching)
        caching?.willFollow()
        exchange.policies.redirects.visit(
            RedirectDecision.visit(hop.method, hop.url, exchange.sent.cookies)
        )
        let isAtOwnURL = exchange.policies.upload?.isAtOwnURL == true
        var rule = exchange.request.redirects
        // The requests to an upload's own URL must stay at its origin, so that no other server is
        // asked.
        if isAtOwnURL { (rule.follow, rule.decisions) = (.sameOrigin, []) }
        let decision = RedirectDecision.decide(
            status: head.statusCode,
            locations: head.fields.values(of: "location"),
            target: exchange.request.webSocket != nil
                ? head.fields["location"].flatMap(hop.url.webSocketTarget)
                : hop.url.isCustom
                    ? head.fields["location"]
                    : caching?.redirectURL(from: hop.url, head) ?? exchange.handle.redirectURL
                        ?? unannouncedTarget(head),
            request: hop,
            hasBody: carriesBody,
            rule: rule,
            visited: exchange.policies.redirects.visited,
            cookies: exchange.cookieField
        )
        switch decision {
        case .refuse(var refusal):
            refusal.httpStatus = head.statusCode
            if isAtOwnURL {
                refusal.detail =
                    "the server redirected the upload to a URL that the redirect rules forbid"
            }
            throw refusal
        case .follow(let next, let keepsBody):
            // A redirect that keeps the body may answer early; here the server would never get the
            // whole body.
            if carriesBody, !keepsBody, !exchange.recorder.isRequestSent {
                throw ExchangeStage.earlyAnswer
            }
            if next.method != hop.method, !hop.isIdempotent {
                exchange.policies.redirects.leaveOrder()
            }
            if carriesBody, !keepsBody { exchange.policies.upload?.leave() }
            exchange.hop = next
            exchange.body.carry(keepsBody)
            exchange.beginHop(by: .redirect)
            return try repeatRequest(.redirect)
        }
    }

    /// The target of a redirect whose connection ended without announcement: libcurl treats that as
    /// an error and resolves no URL.
    private func unannouncedTarget(_ head: ResponseHead) -> String? {
        guard exchange.response.hasUnannouncedEnd, let location = head.fields["location"] else {
            return nil
        }
        return exchange.hop.url.resolving(location)?.text
    }
}
