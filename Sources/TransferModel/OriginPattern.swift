internal import SystemKit

/// A set of http and https origins: `https://example.com`, `*://*.example.com:*`, or `*` for all.
///
/// Without a port it means the default port of each scheme.
package struct OriginPattern: Sendable, Hashable {
    private enum Host: Hashable {
        case any
        /// Every subdomain of this domain, but not the domain itself.
        case subdomains(of: String)
        case exactly(String)
    }

    private enum Port: Hashable {
        case any
        case usual
        case exactly(Int)
    }

    /// nil for both.
    private let scheme: Origin.Scheme?
    private let host: Host
    private let port: Port
    /// Whether it also includes origins of other schemes.
    private let isEverything: Bool

    /// The form of a pattern, for the schema.
    package static let form =
        #"(\*|(\*|[hH][tT][tT][pP][sS]?)://(\*|(\*\.)?[^/?#@*:]+|\[[^/?#@*]+\])(:(\*|[0-9]+))?)"#

    /// Reads a pattern; nil for another text.
    package init?(_ text: String) {
        if text == "*" {
            (scheme, host, port, isEverything) = (nil, .any, .any, true)
            return
        }
        isEverything = false
        guard let start = Self.hostStart(of: text) else { return nil }
        switch text[..<start].dropLast(3).lowercased() {
        case "*": scheme = nil
        case "http": scheme = .http
        case "https": scheme = .https
        default: return nil
        }
        var name = text[start...]
        if name.hasByteSuffix(":*") {
            port = .any
            name = name.dropLast(2)
        } else if let place = Self.portColon(of: name) {
            guard let number = Int(name[name.index(after: place)...]), (1...65535).contains(number)
            else { return nil }
            port = .exactly(number)
            name = name[..<place]
        } else {
            port = .usual
        }
        if name == "*" {
            host = .any
        } else if name.hasBytePrefix("*.") {
            guard let domain = Self.host(name.dropFirst(2)) else { return nil }
            host = .subdomains(of: "." + domain)
        } else {
            guard let name = Self.host(name) else { return nil }
            host = .exactly(name)
        }
    }

    /// Whether an origin belongs to the set.
    package func matches(_ origin: Origin) -> Bool {
        if isEverything { return true }
        guard origin.scheme == .http || origin.scheme == .https,
            scheme == nil || scheme == origin.scheme
        else { return false }
        switch port {
        case .any: break
        case .usual: guard origin.port == origin.scheme.defaultPort else { return false }
        case .exactly(let number): guard origin.port == number else { return false }
        }
        return switch host {
        case .any: true
        case .exactly(let name): name == Self.withoutFinalDot(origin.host)
        case .subdomains(let ending): Self.withoutFinalDot(origin.host).hasByteSuffix(ending)
        }
    }

    /// The place after the `://` of a scheme; nil without one.
    static func hostStart(of text: String) -> String.Index? {
        guard let colon = text.firstByteIndex(of: ":"), text[colon...].hasBytePrefix("://") else {
            return nil
        }
        return text.utf8.index(colon, offsetBy: 3)
    }

    /// The colon before a port; those of an IPv6 address are in brackets.
    private static func portColon(of name: Substring) -> String.Index? {
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        return name.utf8[colon...].contains(UInt8(ascii: "]")) ? nil : colon
    }

    /// A host in the form of `Origin.host`; nil for a text that is none.
    private static func host(_ name: Substring) -> String? {
        let isName = name.utf8.allSatisfy { byte in
            !"/?#@*\\ ".utf8.contains(byte)
        }
        guard isName, !name.isEmpty, let origin = TransferURL.authority(name) else { return nil }
        return withoutFinalDot(origin.host)
    }

    /// A host without the dot that ends a name of DNS (RFC 1034 §3.1): both names lead to one
    /// server, so that no URL reaches a refused server by its other name.
    private static func withoutFinalDot(_ host: String) -> String {
        guard host.utf8.count > 1, host.utf8.last == UInt8(ascii: ".") else { return host }
        let name = String(host.dropLast())
        return IPAddress(shorthand: name)?.text ?? name
    }
}

/// A set of URLs: an `OriginPattern`, and perhaps a path in which `*` matches any characters.
///
/// A path with `?` is also about the query; otherwise the query does not matter.
package struct URLPattern: Sendable, Hashable {
    private let origin: OriginPattern
    /// nil for every path.
    private let path: [UInt8]?

    /// The form of a pattern, for the schema.
    package static let form = "^\(OriginPattern.form)(/[^#]*)?$"

    /// Reads a pattern; nil for another text.
    package init?(_ text: String) {
        guard !text.utf8.contains(UInt8(ascii: "#")) else { return nil }
        let start = OriginPattern.hostStart(of: text) ?? text.startIndex
        let end = text.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        guard let origin = OriginPattern(String(text[..<end])) else { return nil }
        self.origin = origin
        path = end == text.endIndex ? nil : Array(text.utf8[end...])
    }

    /// Whether a URL belongs to the set; compared are normalized paths.
    package func matches(_ url: TransferURL) -> Bool {
        guard origin.matches(url.origin) else { return false }
        guard let path else { return true }
        let url = url.normalized
        let hasQuery = path.contains(UInt8(ascii: "?"))
        let target = hasQuery && !url.query.isEmpty ? "\(url.path)?\(url.query)" : url.path
        return Self.matches(path, Array(target.utf8))
    }

    /// Whether a text has the form of a pattern with wildcards, in at most as many steps as the
    /// product of their lengths.
    private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var (next, position) = (0, 0)
        var star: (next: Int, position: Int)?
        while position < text.count {
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                star = (next + 1, position)
                next += 1
            } else if next < pattern.count, pattern[next] == text[position] {
                next += 1
                position += 1
            } else if let last = star {
                star = (last.next, last.position + 1)
                (next, position) = (last.next, last.position + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
