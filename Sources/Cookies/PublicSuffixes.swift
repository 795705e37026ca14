internal import SystemKit

/// The domains without a single owner, for which no host may set a cookie.
package struct PublicSuffixes: Sendable {
    /// Whether a host name, in lower case, is a public suffix.
    let contains: @Sendable (String) -> Bool

    /// Creates a set by a closure that tells whether a domain in lower case belongs to it.
    package init(contains: @escaping @Sendable (String) -> Bool) {
        self.contains = contains
    }

    /// The Public Suffix List; without libpsl every domain counts as one, so that each cookie is
    /// for one host only.
    package static let system = PublicSuffixes { PublicSuffixList.isPublicSuffix($0) ?? true }

    /// The registered domain of a host: `example.co.uk` for `www.example.co.uk`.
    ///
    /// An address or a public suffix is its own site.
    func site(of host: String) -> String {
        guard CookieScope.isName(host) else { return host }
        var site = host[...]
        while let (_, parent) = site.cut(atFirst: ".") {
            if !contains(String(site)), contains(String(parent)) { return String(site) }
            site = parent
        }
        return host
    }
}
