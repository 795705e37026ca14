/// A proxy for libcurl; compared by identity, so that exchanges need not compare texts.
package final class EasyProxy: Sendable {
    /// The single authentication scheme.
    package enum Authentication: Sendable, Hashable {
        /// None yet: the next exchange of the handle answers a challenge.
        case awaited
        case basic
        case digest
        case ntlm
        case negotiate
    }

    /// Its scheme, host and port (`CURLOPT_PROXY`).
    package let url: String
    /// nil for a proxy without credentials.
    package let user: String?
    /// The password that belongs to `user`; nil for a proxy without credentials.
    package let password: String?
    /// The only scheme that libcurl may use with the proxy (`CURLOPT_PROXYAUTH`).
    package let authentication: Authentication

    /// Creates a proxy; without `user` libcurl sends no login.
    package init(
        url: String,
        user: String? = nil,
        password: String? = nil,
        authentication: Authentication = .basic
    ) {
        self.url = url
        self.user = user
        self.password = password
        self.authentication = authentication
    }

    /// Whether libcurl keeps the proxy's challenge, even for requests through another proxy.
    var leavesChallenge: Bool { user != nil && authentication != .basic }
}
