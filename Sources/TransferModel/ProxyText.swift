internal import SystemKit

/// A text that names a proxy, taken apart: `[scheme://][user[:password]@]host[:port][/…]`.
package struct ProxyText: Sendable, Hashable {
    /// What is wrong with one; nothing of the text but its scheme is kept, because it may hold a
    /// password.
    package enum Fault: Error, Hashable {
        /// Of other schemes than those of `ProxyServer.Kind`.
        case unknownScheme(String)
        case missingHost
        case badHost
        case badPort
    }

    /// nil when there is no scheme.
    package let kind: ProxyServer.Kind?
    /// What stands before the `@`, as written.
    package let userInformation: String?
    /// In lower case; an IPv6 address keeps its brackets.
    package let host: String
    /// nil when there is none.
    package let port: Int?
    /// What follows the authority.
    package let rest: String

    package init(_ text: String) throws(Fault) {
        var remaining = text[...]
        var kind: ProxyServer.Kind?
        if let colon = remaining.firstByteIndex(of: ":"), remaining[colon...].hasBytePrefix("://") {
            let scheme = remaining[..<colon].lowercased()
            guard let known = ProxyServer.Kind(rawValue: scheme) else {
                throw .unknownScheme(scheme)
            }
            kind = known
            remaining = Substring(remaining[colon...].utf8.dropFirst(3))
        }
        self.kind = kind
        var authority = Substring(
            remaining.utf8.prefix {
                $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
        )
        rest = String(remaining[authority.endIndex...])
        if let at = authority.lastByteIndex(of: "@") {
            userInformation = String(authority[..<at])
            authority = Substring(authority[at...].utf8.dropFirst())
        } else {
            userInformation = nil
        }
        let url: HTTPURL
        do {
            url = try HTTPURL("http://\(authority)")
        } catch {
            switch error {
            case .missingHost: throw .missingHost
            case .badPort: throw .badPort
            case .notAbsolute, .unsupportedScheme, .badHost, .badInternationalHost, .badCharacter:
                throw .badHost
            }
        }
        host = url.origin.host
        // The URL's own default is not that of a proxy.
        let digits = authority.utf8.reversed().prefix { (48...57).contains($0) }.count
        port =
            authority.utf8.dropLast(digits).last == UInt8(ascii: ":") && digits > 0
            ? url.origin.port : nil
    }
}
