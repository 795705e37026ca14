internal import SystemKit

/// Compares the hosts and paths of cookies (RFC 6265bis §5.1.3, §5.1.4).
enum CookieScope {
    /// Whether a host is a domain or below it; both in lower case.
    static func host(_ host: String, matches domain: String) -> Bool {
        let host = host.utf8.span
        let domain = domain.utf8.span
        let rest = host.count - domain.count
        guard rest >= 0, host.extracting(droppingFirst: rest).equals(domain) else { return false }
        return rest == 0 || host[rest - 1] == UInt8(ascii: ".") && isName(host)
    }

    /// Whether a host is a name, which can be below another one, and not an address.
    ///
    /// A host whose last label is numeric is an address, in any notation (URL Standard, *ends in a
    /// number*).
    static func isName(_ host: String) -> Bool { isName(host.utf8.span) }

    private static func isName(_ host: Span<UInt8>) -> Bool {
        guard !host.isEmpty, host[0] != UInt8(ascii: "[") else { return false }
        var start = host.count
        while start > 0, host[start - 1] != UInt8(ascii: ".") { start -= 1 }
        let label = host.extracting(droppingFirst: start)
        if label.count > 1, label[0] == UInt8(ascii: "0"), label[1] == UInt8(ascii: "x") {
            return false
        }
        for index in label.indices where !label[index].isDigit { return true }
        return label.isEmpty
    }

    /// Whether a server's text has the form of a domain: labels of letters, digits, `-` and `_`.
    static func isDomain(_ text: String) -> Bool {
        var wasDot = true
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "."):
                if wasDot { return false }
                wasDot = true
            case 48...57, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"):
                wasDot = false
            default:
                return false
            }
        }
        return !wasDot
    }

    /// The path of a cookie without a `Path`: the request's path up to its last slash.
    static func defaultPath(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    /// Whether a path is the cookie's path or below it.
    static func path(_ path: String, matches cookiePath: String) -> Bool {
        let path = path.utf8.span
        let prefix = cookiePath.utf8.span
        guard path.count >= prefix.count, !prefix.isEmpty,
            path.extracting(first: prefix.count).equals(prefix)
        else { return false }
        let slash = UInt8(ascii: "/")
        return path.count == prefix.count || prefix[prefix.count - 1] == slash
            || path[prefix.count] == slash
    }
}

/// The domains without a single owner, for which no host may set a cookie.
package struct PublicSuffixes: Sendable {
    /// Whether a host name, in lower case, is a public suffix.
    let contains: @Sendable (String) -> Bool

    /// Creates a set by a closure that returns whether a domain in lower case belongs to it.
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
