/// An absolute http or https URL, taken apart (RFC 3986 §3, RFC 9110 §4.2).
///
/// Only what the runner decides on is kept: the origin, whether there is user information, and the text that is
/// sent. Normalisation is left to libcurl.
package struct HTTPURL: Sendable, Hashable {
    /// The whole URL as it will be given to libcurl.
    package let text: String
    package let origin: Origin
    /// Whether a user name or password stands before the host.
    package let hasUserInformation: Bool
    /// The path with its leading slash, without query and fragment; `/` when there is none.
    package let path: String

    /// Why a text is no usable URL.
    package enum Fault: Error, Hashable {
        /// No scheme and `://` at the front.
        case notAbsolute
        /// A scheme other than http and https.
        case unsupportedScheme(String)
        case missingHost
        case badHost
        case badPort
        /// A byte that may not stand in a URL (a space, a control byte), at this offset in UTF-8.
        case badCharacter(offset: Int)
    }

    package init(_ text: String) throws(Fault) {
        let bytes = Array(text.utf8)
        if let offset = bytes.firstIndex(where: { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5C }) {
            throw .badCharacter(offset: offset)
        }
        guard let separator = Self.schemeEnd(bytes) else { throw .notAbsolute }
        let scheme = String(decoding: bytes[..<separator], as: UTF8.self).lowercased()
        guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme(scheme) }

        let rest = bytes[(separator + 3)...]
        let isDelimiter: (UInt8) -> Bool = { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 }
        let authorityEnd = rest.firstIndex(where: isDelimiter) ?? rest.endIndex
        var authority = rest[..<authorityEnd]
        hasUserInformation = authority.contains(UInt8(ascii: "@"))
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            authority = authority[(at + 1)...]
        }
        let (host, port) = try Self.hostAndPort(authority)
        origin = Origin(
            scheme: scheme == "https" ? .https : .http,
            host: host,
            port: port ?? (scheme == "https" ? 443 : 80)
        )
        let tail = rest[authorityEnd...]
        let pathEnd = tail.firstIndex { $0 == 0x3F || $0 == 0x23 } ?? tail.endIndex
        let path = String(decoding: tail[..<pathEnd], as: UTF8.self)
        self.path = path.isEmpty ? "/" : path
        self.text = text
    }

    private static func schemeEnd(_ bytes: [UInt8]) -> Int? {
        guard
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            bytes.count >= colon + 3, bytes[colon + 1] == 0x2F, bytes[colon + 2] == 0x2F,
            (65...90).contains(bytes[0] & 0xDF),
            bytes[..<colon].allSatisfy({
                (65...90).contains($0 & 0xDF) || (48...57).contains($0)
                    || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: ".")
            })
        else { return nil }
        return colon
    }

    private static func hostAndPort(
        _ authority: ArraySlice<UInt8>
    ) throws(Fault) -> (host: String, port: Int?) {
        var host = authority
        var port: Int?
        let afterBracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        if let colon = authority[afterBracket...].lastIndex(of: UInt8(ascii: ":")) {
            host = authority[..<colon]
            let digits = authority[(colon + 1)...]
            if !digits.isEmpty {
                guard
                    digits.count <= 5, digits.allSatisfy({ (48...57).contains($0) }),
                    let number = Int(String(decoding: digits, as: UTF8.self)),
                    (1...65535).contains(number)
                else { throw .badPort }
                port = number
            }
        }
        guard !host.isEmpty else { throw .missingHost }
        if host.first == UInt8(ascii: "[") {
            guard host.last == UInt8(ascii: "]"), host.count > 4 else { throw .badHost }
            let address = host.dropFirst().dropLast()
            guard address.allSatisfy(Self.isAddressByte) else { throw .badHost }
        } else if !host.allSatisfy(Self.isHostByte) {
            throw .badHost
        }
        return (String(decoding: host, as: UTF8.self).lowercased(), port)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        (48...58).contains(byte) || (65...90).contains(byte & 0xDF) || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
            UInt8(ascii: "}"), UInt8(ascii: "\""), UInt8(ascii: ":"), UInt8(ascii: "@"):
            false
        default: true
        }
    }
}

/// Scheme, host and port: what may share credentials (RFC 6454 §4).
package struct Origin: Sendable, Hashable {
    /// The two schemes that the engine speaks.
    package enum Scheme: String, Sendable, Hashable {
        case http
        case https
    }

    package var scheme: Scheme
    /// In lower case; an IPv6 address keeps its brackets.
    package var host: String
    /// 1 to 65535; the scheme's own when the URL has none.
    package var port: Int

    package init(scheme: Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Whether the host is a numeric address, which needs no lookup.
    package var isAddress: Bool {
        if host.hasPrefix("[") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// `https://host:port`, the port only when it is not the scheme's own.
    package var text: String {
        let usual = scheme == .https ? 443 : 80
        return port == usual
            ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
    }
}
