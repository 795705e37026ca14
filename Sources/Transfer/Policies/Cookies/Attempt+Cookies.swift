internal import Cookies
internal import SystemKit
internal import TransferModel

extension Attempt {
    /// The cookies that the current hop carries, or would to another URL; nil for none.
    ///
    /// A task's own `Cookie` stands for all of them, as in `URLRequest.httpShouldHandleCookies`.
    func cookieField(for url: HTTPURL) -> String? {
        guard let jar = session.cookieJar,
            let field = jar.field(
                for: url,
                first: request.request.url,
                at: context.clock.timestamp(of: .now)
            )
        else { return nil }
        return hop.headers.contains("cookie") ? nil : field
    }

    /// Keeps the cookies of a response, whatever becomes of it.
    func keepCookies(of head: ResponseHead) {
        session.cookieJar?.accept(
            head.fields,
            from: hop.url,
            first: request.request.url,
            at: context.clock.timestamp(of: .now)
        )
    }
}
