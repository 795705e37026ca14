internal import SystemKit

/// A parsed URL of a scheme that a program of the session serves: `scheme://authority/path?query`.
///
/// The program gives its authority, which may be empty, a meaning; the runner only compares it.
package struct CustomURL: Sendable, Hashable {
    /// In lower case.
    package let scheme: String
    /// The URL in ASCII, with escapes in place of other characters.
    package let text: String
    /// The scheme and the authority in lower case, such as `notes://desk`.
    package let origin: String

    /// The schemes that the runner serves itself, or that browsers give a meaning of their own.
    package static let reservedSchemes: Set<String> = [
        "about", "blob", "data", "file", "ftp", "ftps", "http", "https", "javascript", "sftp",
        "ws", "wss",
    ]
    /// The length of the longest scheme.
    package static let longestScheme = 64

    /// Whether a text is the name of a scheme, in lower case (RFC 3986 §3.1).
    package static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, first.isLowercase,
            text.utf8.count <= longestScheme
        else { return false }
        return text.utf8.allSatisfy { $0.isSchemeByte && !$0.isUppercase }
    }

    /// The scheme in lower case of a text that begins with one and `://`; nil for another text.
    package static func scheme(of text: String) -> String? {
        let front = text.utf8.prefix(longestScheme + 1)
        guard let colon = front.firstIndex(of: UInt8(ascii: ":")),
            text.utf8[colon...].starts(with: "://".utf8)
        else { return nil }
        let scheme = String(decoding: text.utf8[..<colon].map(\.asciiLowercased), as: UTF8.self)
        return isScheme(scheme) ? scheme : nil
    }

    /// Parses a URL.
    package init(_ text: String) throws(CustomURLFault) {
        guard let scheme = Self.scheme(of: text) else { throw .notAbsolute }
        guard !Self.reservedSchemes.contains(scheme) else { throw .reservedScheme(scheme) }
        for (offset, byte) in text.utf8.enumerated()
        where byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "\\") {
            throw .badCharacter(offset: offset)
        }
        let rest = text.utf8.dropFirst(scheme.utf8.count + 3)
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userInformation }
        self.scheme = scheme
        let behind = PercentCoding.encode(String(Substring(rest))) {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"")
        }
        self.text = "\(scheme)://\(behind)"
        let end = behind.utf8.prefix { !"/?#".utf8.contains($0) }
        let lowercased = String(decoding: end.map(\.asciiLowercased), as: UTF8.self)
        origin = "\(scheme)://\(lowercased)"
    }
}

/// Why a text is not a usable URL of a custom scheme.
package enum CustomURLFault: Error, Hashable {
    /// The text does not begin with a scheme and `://`.
    case notAbsolute
    /// The runner serves the scheme itself.
    case reservedScheme(String)
    /// A user name or password in the authority.
    case userInformation
    /// A space, a control byte or a backslash at this UTF-8 offset.
    case badCharacter(offset: Int)
}

extension TransferURL {
    /// A URL that a program of the session serves.
    package init(_ url: CustomURL) {
        let authorityEnd = url.origin.utf8.count
        let rest = url.text.utf8.dropFirst(authorityEnd)
        let path = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        self.init(
            text: url.text,
            origin: Origin(scheme: .custom, host: url.origin, port: 0),
            authorityEnd: authorityEnd,
            pathEnd: authorityEnd + path.count
        )
    }

    /// Whether a program of the session serves the URL.
    package var isCustom: Bool { origin.scheme == .custom }

    /// The scheme in lower case.
    package var schemeName: String {
        isCustom
            ? String(origin.host.prefix { $0 != ":" }) : origin.scheme.rawValue
    }
}
