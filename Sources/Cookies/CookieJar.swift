internal import SystemKit
package import TransferModel

/// The cookies of one session and what it does with them; asked by every engine thread.
package final class CookieJar: Sendable {
    private let store: Lock<CookieStore>
    private let sends: Bool
    private let policy: HTTPCookieAcceptPolicy
    private let suffixes: PublicSuffixes
    private let findSecret: SecretFinder?

    /// - Parameters:
    ///   - configuration: Whose policies hold.
    ///   - store: What there is already.
    ///   - suffixes: Which domains are everybody's.
    ///   - findSecret: Finds the job's secrets, so that a cookie that holds one stays with the
    ///     origin that set it.
    package init(
        _ configuration: SessionConfiguration,
        store: CookieStore = CookieStore(),
        suffixes: PublicSuffixes = .system,
        findSecret: SecretFinder? = nil
    ) {
        self.store = Lock(store)
        sends = configuration.httpShouldSetCookies
        policy = configuration.httpCookieAcceptPolicy
        self.suffixes = suffixes
        self.findSecret = findSecret
    }

    /// Whether the session may have anything to do with cookies; one that accepts none and has none
    /// does not.
    package var isOfUse: Bool {
        policy != .never || sends && !store.withLock { $0.isEmpty }
    }

    /// Finds what a request carries, which costs next to nothing without cookies.
    ///
    /// - Parameters:
    ///   - url: What is asked.
    ///   - first: What the task asked before any redirect.
    ///   - now: The time of the request.
    /// - Returns: The value of `Cookie`; nil for none.
    package func field(for url: HTTPURL, first: HTTPURL, at now: @autoclosure () -> Timestamp)
        -> String?
    {
        guard sends else { return nil }
        return store.withLock { store in
            guard !store.isEmpty else { return nil }
            return store.field(for: url, isAway: url.origin != first.origin, at: now())
        }
    }

    /// Takes in the cookies of a response.
    ///
    /// - Parameters:
    ///   - fields: Those of the response's head.
    ///   - url: What was asked.
    ///   - first: What the task asked before any redirect: the main document.
    ///   - now: When the response came.
    package func accept(
        _ fields: HeaderFields,
        from url: HTTPURL,
        first: HTTPURL,
        at now: Timestamp
    ) {
        guard accepts(from: url.origin.host, mainHost: first.origin.host) else { return }
        for value in fields.allValues(of: "set-cookie") {
            guard let field = SetCookie(value),
                var cookie = Cookie(field, from: url, suffixes: suffixes, at: now)
            else { continue }
            cookie.isConfined = holdsSecret(cookie)
            store.withLock { [cookie] store in _ = store.receive(cookie, at: now) }
        }
    }

    private func accepts(from host: String, mainHost: String) -> Bool {
        switch policy {
        case .always: true
        case .never: false
        case .onlyFromMainDocumentDomain:
            // The list of suffixes is not asked for where nothing hangs on it.
            host.hasSameBytes(as: mainHost)
                || suffixes.site(of: host).hasSameBytes(as: suffixes.site(of: mainHost))
        }
    }

    private func holdsSecret(_ cookie: Cookie) -> Bool {
        guard let findSecret else { return false }
        return findSecret(cookie.pair) != nil || findSecret(cookie.path) != nil
    }

    /// What other runs of the job are to know: what has changed and may be written.
    package var changes: [Cookie] {
        store.withLock { $0.changes.filter { !$0.isConfined } }
    }
}
