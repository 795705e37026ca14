internal import SystemKit
package import TransferModel

/// The cookie policies of one session, and its cookies; used by all engine threads.
package final class CookieJar: Sendable {
    /// The cookies.
    let storage: CookieStorage
    private let sends: Bool
    private let policy: HTTPCookieAcceptPolicy
    private let suffixes: PublicSuffixes
    private let findSecret: SecretFinder?

    /// - Parameters:
    ///   - configuration: The session's policies.
    ///   - storage: The existing cookies.
    ///   - suffixes: The public suffixes, domains that many owners share.
    ///   - findSecret: Finds the job's secrets, so that a cookie with a secret stays with its
    ///     origin.
    package init(
        _ configuration: SessionConfiguration,
        storage: CookieStorage = CookieStorage(),
        suffixes: PublicSuffixes = .system,
        findSecret: SecretFinder? = nil
    ) {
        self.storage = storage
        sends = configuration.httpShouldSetCookies
        policy = configuration.httpCookieAcceptPolicy
        self.suffixes = suffixes
        self.findSecret = findSecret
    }

    /// Whether the session can send or receive any cookies; `isShared` says that other sessions may
    /// add some.
    package func isOfUse(isShared: Bool) -> Bool {
        policy != .never || sends && (isShared || !storage.isEmpty)
    }

    /// The `Cookie` field of a request; costs almost nothing without cookies.
    ///
    /// - Parameters:
    ///   - url: The requested URL.
    ///   - first: The task's URL before redirects.
    ///   - now: The time of the request.
    /// - Returns: The value of `Cookie`; nil for none.
    package func field(
        for url: TransferURL,
        first: TransferURL,
        at now: @autoclosure () -> Timestamp
    )
        -> String?
    {
        guard sends else { return nil }
        return storage.withStore { store in
            guard !store.isEmpty else { return nil }
            return store.field(for: url, isAway: url.origin != first.origin, at: now())
        }
    }

    /// Stores the cookies of a response.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response's head.
    ///   - url: The requested URL.
    ///   - first: The task's URL before redirects: the main document.
    ///   - now: When the response arrived.
    package func accept(
        _ fields: HeaderFields,
        from url: TransferURL,
        first: TransferURL,
        at now: Timestamp
    ) {
        guard accepts(from: url.origin.host, mainHost: first.origin.host) else { return }
        for value in fields.allValues(of: "set-cookie") {
            guard let field = SetCookie(value),
                var cookie = Cookie(field, from: url, suffixes: suffixes, at: now)
            else { continue }
            cookie.isConfined = holdsSecret(cookie)
            storage.withStore { [cookie] store in _ = store.receive(cookie, at: now) }
        }
    }

    private func accepts(from host: String, mainHost: String) -> Bool {
        switch policy {
        case .always: true
        case .never: false
        case .onlyFromMainDocumentDomain:
            // Use the suffix list only if the hosts differ.
            host.hasSameBytes(as: mainHost)
                || suffixes.site(of: host).hasSameBytes(as: suffixes.site(of: mainHost))
        }
    }

    private func holdsSecret(_ cookie: Cookie) -> Bool {
        guard let findSecret else { return false }
        return findSecret(cookie.pair) != nil || findSecret(cookie.path) != nil
    }
}
