internal import SystemKit

/// The parsed text of a proxy: `[scheme://][user[:password]@]host[:port][/…]`.
package struct ProxyText: Sendable, Hashable {
    /// A problem with the text; keeps only its scheme, because the rest may hold a password.
    package enum Fault: Error, Hashable {
        /// A scheme that is not in `ProxyServer.Kind`.
        case unknownScheme(String)
        case missingHost
        case badHost
        case badPort
    }

    /// nil without a scheme.
    package let kind: ProxyServer.Kind?
    /// The text before the `@`, as written.
    package let userInformation: String?
    /// In lower case; an IPv6 address keeps its brackets.
    package let host: String
    /// nil without a port.
    package let port: Int?
    /// The text after the authority.
    package let rest: String

    /// Splits a text into its parts; throws a `Fault` when it names no proxy.
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
        // URLs and proxies have different default ports.
        let digits = authority.utf8.reversed().prefix(while: \.isDigit).count
        port =
            authority.utf8.dropLast(digits).last == UInt8(ascii: ":") && digits > 0
            ? url.origin.port : nil
    }
}
