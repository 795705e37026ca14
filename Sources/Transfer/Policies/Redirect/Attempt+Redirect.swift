internal import CurlKit
internal import HTTPCache
internal import TransferModel

extension Attempt {
    /// Follows a redirect, or ends with it.
    func follow() -> Next {
        guard let head else { return finish() }
        caching?.willFollow()
        redirects.visit(RedirectDecision.visit(hop.method, hop.url, sent.cookies))
        let decision = RedirectDecision.decide(
            status: head.statusCode,
            locations: head.fields.values(of: "location"),
            target: caching?.redirectURL(from: hop.url, head) ?? handle.redirectURL
                ?? unannouncedTarget(head),
            request: hop,
            hasBody: carriesBody,
            rule: redirectRule,
            visited: redirects.visited,
            cookies: cookieField
        )
        switch decision {
        case .refuse(var refusal):
            refusal.httpStatus = head.statusCode
            if isAtOwnURL { refusal.detail = "the upload was redirected where it may not go" }
            failure = refusal
            return finish()
        case .follow(let next, let keepsBody):
            // A redirect that keeps the body may answer early; here the server would never get the
            // whole body.
            if carriesBody, !keepsBody, !recorder.isRequestSent {
                failure = ExchangeStage.earlyAnswer
                return finish()
            }
            if next.method != hop.method, !hop.isIdempotent { redirects.leaveOrder() }
            if carriesBody, !keepsBody { upload?.machine.leave() }
            hop = next
            carriesBody = keepsBody
            connection.beginHop()
            caching?.beginHop()
            beginAuthentication()
            return exchange(.redirect)
        }
    }

    /// The target of a redirect whose connection ended without announcement: libcurl treats that as
    /// an error and resolves no URL.
    private func unannouncedTarget(_ head: ResponseHead) -> String? {
        guard response.hasUnannouncedEnd, let location = head.fields["location"] else { return nil }
        return hop.url.resolving(location)?.text
    }

    private var isAtOwnURL: Bool { upload?.isAtOwnURL == true }

    /// The redirect rule: the requests to an upload's own URL must stay at its origin, so that no
    /// other server is asked.
    private var redirectRule: RedirectRule {
        var rule = request.redirects
        if isAtOwnURL { rule.follow = .sameOrigin }
        return rule
    }
}
