internal import Cookies
internal import SystemKit
internal import TransferModel

/// Decides which cookies the requests of one session carry, and keeps those of its responses.
struct CookiePolicy {
    let jar: CookieJar
    let clock: RunClock

    /// The cookies for a request; nil for none.
    ///
    /// A task's own `Cookie` replaces all of them, as in `URLRequest.httpShouldHandleCookies`.
    func field(for url: TransferURL, with headers: [HeaderField], first: TransferURL) -> String? {
        guard let field = jar.field(for: url, first: first, at: clock.timestamp(of: .now)) else {
            return nil
        }
        return headers.contains("cookie") ? nil : field
    }

    /// Keeps the cookies of a response, whatever its verdict.
    func keep(_ head: ResponseHead, from url: TransferURL, first: TransferURL) {
        jar.accept(head.fields, from: url, first: first, at: clock.timestamp(of: .now))
    }
}
