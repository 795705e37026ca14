internal import CurlKit
internal import HTTPCache
internal import TransferModel

extension Attempt {
    /// Goes where a redirect leads, or ends at it.
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
            // Where the body is sent on, it may be early; here nobody would ever have it.
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

    /// Where a redirect leads whose connection ended unannounced: libcurl takes that for an error
    /// and resolves nothing.
    private func unannouncedTarget(_ head: ResponseHead) -> String? {
        guard response.hasUnannouncedEnd, let location = head.fields["location"] else { return nil }
        return hop.url.resolving(location)?.text
    }

    private var isAtOwnURL: Bool { upload?.isAtOwnURL == true }

    /// What follows how much there is goes there too, so that nobody else is asked for that.
    private var redirectRule: RedirectRule {
        var rule = request.redirects
        if isAtOwnURL { rule.follow = .sameOrigin }
        return rule
    }
}
