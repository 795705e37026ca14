internal import SystemKit

/// Which domains are everybody's, so that nobody may set a cookie for one.
package struct PublicSuffixes: Sendable {
    /// Whether a host name, in lower case, is a public suffix.
    let contains: @Sendable (String) -> Bool

    package init(contains: @escaping @Sendable (String) -> Bool) {
        self.contains = contains
    }

    /// The Public Suffix List; without libpsl every domain counts as one, so that a cookie is for
    /// one host only.
    package static let system = PublicSuffixes { PublicSuffixList.isPublicSuffix($0) ?? true }

    /// The domain that somebody has registered and that the host is in: `example.co.uk` of
    /// `www.example.co.uk`.
    ///
    /// A host that is an address or a public suffix is a site of its own.
    func site(of host: String) -> String {
        guard CookieScope.isName(host) else { return host }
        var site = host[...]
        while let dot = site.firstIndex(of: ".") {
            let parent = site[site.index(after: dot)...]
            if !contains(String(site)), contains(String(parent)) { return String(site) }
            site = parent
        }
        return host
    }
}
