package import SystemKit

/// A parsed absolute URL: http or https (RFC 3986 §3, RFC 9110 §4.2), local (`isLocal`), of a file
/// server (`isOfFileServer`) or of a custom scheme (`isCustom`).
///
/// It keeps only the parts that decide about a transfer: the origin, whether there is user
/// information, and the ASCII text to send. Other characters become A-labels in the host (RFC 5891)
/// and escapes elsewhere.
package struct TransferURL: Sendable, Hashable {
    /// The data of a URL: an object, because URLs are passed on often and rarely made.
    private final class Parts: Sendable {
        let text: String
        let origin: Origin
        let hasUserInformation: Bool
        let site: String
        let pathEnd: Int

        init(
            text: String,
            origin: Origin,
            hasUserInformation: Bool,
            site: String,
            pathEnd: Int
        ) {
            self.text = text
            self.origin = origin
            self.hasUserInformation = hasUserInformation
            self.site = site
            self.pathEnd = pathEnd
        }
    }

    private let parts: Parts

    /// The whole URL for libcurl.
    package var text: String { parts.text }
    /// The server of the URL: scheme, host and port.
    package var origin: Origin { parts.origin }
    /// Whether a user name or password precedes the host.
    package var hasUserInformation: Bool { parts.hasUserInformation }
    /// Whether the port is empty and an `@` follows: probably a login whose password begins with
    /// `/`, `?` or `#`, so that its user name counts as the host.
    package var mayBeTornLogin: Bool {
        let bytes = text.utf8.span
        return authorityEnd > 0 && bytes[authorityEnd - 1] == UInt8(ascii: ":")
            && bytes.extracting(droppingFirst: authorityEnd).contains(UInt8(ascii: "@"))
    }
    /// The end of the authority in `text`, in UTF-8; text after it cannot change the server.
    package var authorityEnd: Int { site.utf8.count }
    /// The text up to there: all that a server's URLs have in common.
    package var site: String { parts.site }
    /// The end of the path, which begins at `authorityEnd`; equal to it for an empty path.
    var pathEnd: Int { parts.pathEnd }

    /// Creates a URL from its parts.
    init(
        text: String,
        origin: Origin,
        hasUserInformation: Bool = false,
        site: String? = nil,
        authorityEnd: Int,
        pathEnd: Int
    ) {
        parts = Parts(
            text: text,
            origin: origin,
            hasUserInformation: hasUserInformation,
            site: site ?? Self.slice(text, 0..<authorityEnd),
            pathEnd: pathEnd
        )
    }

    /// Whether two URLs have the same text and the same server.
    package static func == (left: TransferURL, right: TransferURL) -> Bool {
        left.parts === right.parts || left.text == right.text && left.origin == right.origin
    }

    /// Hashes the text.
    package func hash(into hasher: inout Hasher) { hasher.combine(parts.text) }

    /// Parses a URL.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - other: A URL that may have the same origin, which then need not be parsed again.
    /// - Throws: Why the text is not a URL.
    package init(_ text: String, like other: TransferURL? = nil) throws(URLFault) {
        try self.init(text, like: other, findScheme: Self.scheme)
    }

    /// The origin of an https URL with an authority: a host with or without a port (RFC 3986 §3.2);
    /// nil for any other text, such as one with a login.
    package static func authority(_ text: some StringProtocol) -> Origin? {
        guard let url = try? TransferURL("https://\(text)/"), !url.hasUserInformation,
            url.authorityEnd == url.text.utf8.count - 1
        else { return nil }
        return url.origin
    }

    /// Parses a URL with a scheme that `findScheme` knows.
    ///
    /// `findScheme` gets the text and the number of bytes of its scheme.
    init(
        _ text: String,
        like other: TransferURL? = nil,
        findScheme: (Span<UInt8>, Int) -> Origin.Scheme?
    ) throws(URLFault) {
        let bytes = text.utf8.span
        var isPlain = true
        for offset in bytes.indices {
            if Self.isForbidden(bytes[offset]) { throw .badCharacter(offset: offset) }
            if bytes[offset] >= 0x80 || bytes[offset] == UInt8(ascii: "\"") { isPlain = false }
        }
        if !isPlain, let ascii = try Self.ascii(text) {
            self = try TransferURL(ascii, like: other, findScheme: findScheme)
            return
        }
        if let other, other.beginsLike(bytes) {
            self.init(
                text: text,
                origin: other.origin,
                hasUserInformation: other.hasUserInformation,
                site: other.site,
                authorityEnd: other.authorityEnd,
                pathEnd: Self.pathEnd(bytes, from: other.authorityEnd)
            )
            return
        }
        guard let separator = Self.schemeEnd(bytes) else { throw .notAbsolute }
        guard let scheme = findScheme(bytes, separator) else {
            throw .unsupportedScheme(Self.slice(text, 0..<separator).lowercased())
        }

        var host = separator + 3
        var end = host
        while end < bytes.count, !Self.isDelimiter(bytes[end]) {
            if bytes[end] == UInt8(ascii: "@") { host = end + 1 }
            end += 1
        }
        let (hostEnd, port) = try Self.hostEndAndPort(bytes, host..<end)
        self.init(
            text: text,
            origin: Origin(
                scheme: scheme,
                host: try Self.host(text, host..<hostEnd),
                port: port ?? scheme.defaultPort
            ),
            hasUserInformation: host > separator + 3,
            authorityEnd: end,
            pathEnd: Self.pathEnd(bytes, from: end)
        )
    }

    /// Whether another URL is equal up to its path, which has at least a slash.
    package func beginsLike(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > authorityEnd && bytes[authorityEnd] == UInt8(ascii: "/")
            && bytes.extracting(first: authorityEnd).equals(
                text.utf8.span.extracting(first: authorityEnd)
            )
    }

    /// The end of the path that begins at the end of the authority.
    private static func pathEnd(_ bytes: Span<UInt8>, from authorityEnd: Int) -> Int {
        var end = authorityEnd
        guard end < bytes.count, bytes[end] == UInt8(ascii: "/") else { return end }
        while end < bytes.count, bytes[end] != UInt8(ascii: "?"), bytes[end] != UInt8(ascii: "#") {
            end += 1
        }
        return end
    }

    /// The path with its leading slash, without query and fragment; `/` when there is none.
    package var path: String {
        authorityEnd == pathEnd ? "/" : Self.slice(text, authorityEnd..<pathEnd)
    }

    /// The text between `?` and the fragment; empty without one.
    package var query: String {
        let rest = text.utf8.dropFirst(pathEnd)
        guard rest.first == UInt8(ascii: "?") else { return "" }
        return String(rest.dropFirst().prefix { $0 != UInt8(ascii: "#") }) ?? ""
    }

    /// Whether the URL has a `?` with an empty query.
    package var hasEmptyQuery: Bool {
        let bytes = text.utf8.span
        guard pathEnd < bytes.count, bytes[pathEnd] == UInt8(ascii: "?") else { return false }
        return pathEnd + 1 == bytes.count || bytes[pathEnd + 1] == UInt8(ascii: "#")
    }

    /// The host in lower case, which most URLs use already, and an address in its usual form.
    ///
    /// libcurl writes addresses in that form, too: `127.1` becomes `127.0.0.1`.
    private static func host(_ text: String, _ offsets: Range<Int>) throws(URLFault) -> String {
        let bytes = text.utf8.span
        var host = slice(text, offsets)
        for offset in offsets
        where bytes[offset].asciiLowercased != bytes[offset] {
            host = host.lowercased()
            break
        }
        switch bytes[offsets.lowerBound] {
        case UInt8(ascii: "["):
            let end = host.firstByteIndex(of: "%") ?? host.index(before: host.endIndex)
            guard let address = IPAddress(host[..<end].dropFirst()), address.bitCount == 128 else {
                throw .badHost
            }
            return "[" + address.text + host[end...]
        case 48...57:
            if let address = IPAddress(shorthand: host) { return address.text }
            // A name does not end in a number (RFC 3696 §2): `256.1.1.1` is a mistyped address.
            let isAbsolute = host.utf8.last == UInt8(ascii: ".")
            let last = host.utf8.split(separator: UInt8(ascii: ".")).last ?? []
            guard
                !last.allSatisfy(\.isDigit)
                    || isAbsolute && IPAddress(shorthand: String(host.dropLast())) != nil
            else { throw .badHost }
            return host
        default:
            return host
        }
    }

    /// The same URL in ASCII; nil for a text that is not a URL anyway.
    ///
    /// Also escapes quotation marks, which are invalid (RFC 3986) and would end Digest's `uri`.
    private static func ascii(_ text: String) throws(URLFault) -> String? {
        let bytes = text.utf8.span
        guard let separator = schemeEnd(bytes) else { return nil }
        var host = separator + 3
        var end = host
        while end < bytes.count, !isDelimiter(bytes[end]) {
            if bytes[end] == UInt8(ascii: "@") { host = end + 1 }
            end += 1
        }
        var hostEnd = host
        var isInternational = false
        while hostEnd < end, bytes[hostEnd] != UInt8(ascii: ":") {
            isInternational = isInternational || bytes[hostEnd] >= 0x80
            hostEnd += 1
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 32)
        for index in 0..<host { escape(bytes[index], into: &result) }
        if isInternational {
            guard let name = InternationalName.ascii(slice(text, host..<hostEnd)) else {
                throw .badInternationalHost
            }
            result += name.utf8
        } else {
            for index in host..<hostEnd { result.append(bytes[index]) }
        }
        for index in hostEnd..<end { result.append(bytes[index]) }
        for index in end..<bytes.count { escape(bytes[index], into: &result) }
        let ascii = String(decoding: result, as: UTF8.self)
        guard ascii.utf8.allSatisfy({ $0 < 0x80 }) else { throw .badHost }
        return ascii.utf8.elementsEqual(text.utf8) ? nil : ascii
    }

    private static func escape(_ byte: UInt8, into result: inout [UInt8]) {
        if byte >= 0x80 || byte == UInt8(ascii: "\"") {
            PercentCoding.encode(byte, into: &result)
        } else {
            result.append(byte)
        }
    }

    /// Text between two offsets in UTF-8 that lie next to ASCII bytes.
    static func slice(_ text: String, _ offsets: Range<Int>) -> String {
        let start = text.utf8.index(text.utf8.startIndex, offsetBy: offsets.lowerBound)
        let end = text.utf8.index(start, offsetBy: offsets.count)
        return String(text[start..<end])
    }

    /// A space, a control byte or a backslash, which some servers read as a slash.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "\\")
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func schemeEnd(_ bytes: Span<UInt8>) -> Int? {
        var colon = 0
        while colon < bytes.count, bytes[colon].isSchemeByte { colon += 1 }
        guard
            colon > 0, bytes[0].isAlpha, bytes.count >= colon + 3,
            bytes[colon] == UInt8(ascii: ":"), bytes[colon + 1] == UInt8(ascii: "/"),
            bytes[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        return colon
    }

    /// The scheme in the first `end` bytes, in any case.
    private static func scheme(_ bytes: Span<UInt8>, _ end: Int) -> Origin.Scheme? {
        let name = "https"
        let letters = name.utf8.span
        guard end == letters.count || end == letters.count - 1 else { return nil }
        for index in 0..<end where bytes[index].asciiLowercased != letters[index] { return nil }
        return end == letters.count ? .https : .http
    }

    /// The end of the host in an authority without user information, and the port, if any.
    private static func hostEndAndPort(
        _ bytes: Span<UInt8>,
        _ authority: Range<Int>
    ) throws(URLFault) -> (end: Int, port: Int?) {
        var end = authority.lowerBound
        let isBracketed = end < authority.upperBound && bytes[end] == UInt8(ascii: "[")
        if isBracketed {
            end += 1
            while end < authority.upperBound, isAddressByte(bytes[end]) { end += 1 }
            // Two colons at least: `[::]`.
            guard
                end < authority.upperBound, bytes[end] == UInt8(ascii: "]"),
                end - authority.lowerBound >= 3
            else { throw .badHost }
            end += 1
        } else {
            // RFC 3986 §3.2.2 also allows `%` and sub-delimiters. libcurl decodes the former and
            // rejects the latter, so the origin would not be the requested host.
            var last = UInt8(ascii: ".")
            while end < authority.upperBound, bytes[end].isUnreserved {
                // A label is not empty (RFC 1035 §2.3.1).
                if bytes[end] == UInt8(ascii: "."), last == bytes[end] { throw .badHost }
                last = bytes[end]
                end += 1
            }
        }
        guard end > authority.lowerBound else {
            throw end == authority.upperBound || bytes[end] == UInt8(ascii: ":")
                ? .missingHost : .badHost
        }
        guard end < authority.upperBound else { return (end, nil) }
        guard bytes[end] == UInt8(ascii: ":") else { throw .badHost }
        return (end, try port(bytes, (end + 1)..<authority.upperBound))
    }

    /// The number after the colon; nil when it is empty, which RFC 3986 §3.2.3 allows.
    private static func port(_ bytes: Span<UInt8>, _ digits: Range<Int>) throws(URLFault) -> Int? {
        guard !digits.isEmpty else { return nil }
        guard digits.count <= 5 else { throw .badPort }
        var number = 0
        for index in digits {
            guard bytes[index].isDigit else { throw .badPort }
            number = number * 10 + Int(bytes[index] - 48)
        }
        guard (1...65535).contains(number) else { throw .badPort }
        return number
    }

    /// A byte of a bracketed IPv6 address and its zone.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || ":.%-_".utf8.contains(byte)
    }
}

/// Why a text is not a usable URL.
package enum URLFault: Error, Hashable {
    /// No scheme and `://` at the beginning.
    case notAbsolute
    /// A scheme other than http and https.
    case unsupportedScheme(String)
    case missingHost
    case badHost
    /// A non-ASCII host that is invalid or cannot be converted on this machine.
    case badInternationalHost
    case badPort
    /// A forbidden byte, such as a space or a control byte, at this UTF-8 offset.
    case badCharacter(offset: Int)
}

/// Scheme, host and port: the scope for sharing credentials (RFC 6454 §4).
package struct Origin: Sendable, Hashable {
    /// The schemes that the engine supports.
    package enum Scheme: String, Sendable, Hashable {
        case http
        case https
        /// No server: the URL holds its content (RFC 2397).
        case data
        /// No server: a file of this machine (RFC 8089).
        case file
        /// A program of the session serves the URL; `Origin.host` begins with the scheme.
        case custom
        /// FTP, without TLS or with TLS from a command on (RFC 959, RFC 4217).
        case ftp
        /// FTP with TLS from the start.
        case ftps
        /// Files over SSH (draft-ietf-secsh-filexfer-02).
        case sftp

        /// The port of a URL without one (RFC 9110 §4.2).
        package var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            case .data, .file, .custom: 0
            case .ftp: 21
            case .ftps: 990
            case .sftp: 22
            }
        }
    }

    /// The scheme, which decides whether connections use TLS.
    package var scheme: Scheme
    /// In lower case; an IPv6 address keeps its brackets.
    ///
    /// Of a custom scheme: the scheme and the authority, such as `notes://desk`.
    package var host: String
    /// 1 to 65535; the scheme's default when the URL has none.
    package var port: Int

    /// Creates an origin; `host` must be in lower case.
    package init(scheme: Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Whether the host is a numeric address, which needs no lookup.
    package var isAddress: Bool {
        if host.utf8.first == UInt8(ascii: "[") { return true }
        var parts = 1
        var number: UInt16 = 0
        var digits = 0
        for byte in host.utf8 {
            switch byte {
            case UInt8(ascii: "."):
                guard digits > 0 else { return false }
                parts += 1
                (number, digits) = (0, 0)
            case 48...57:
                // Some parsers read a leading zero as octal, others as a name.
                guard digits == 0 || number > 0 else { return false }
                number = number * 10 + UInt16(byte - 48)
                digits += 1
                guard number <= 255 else { return false }
            default: return false
            }
        }
        return parts == 4 && digits > 0
    }

    /// The host as an address, without its zone; nil for a name.
    package var address: IPAddress? {
        IPAddress(host.drop { $0 == "[" }.prefix { $0 != "%" && $0 != "]" })
    }

    /// The zone of a link-local address after `%25` (RFC 6874 §2), or after `%`, which libcurl also
    /// accepts; nil without one.
    package var zone: Substring? {
        guard host.hasBytePrefix("["), let zone = host.cut(atFirst: "%")?.behind.dropLast() else {
            return nil
        }
        return zone.hasBytePrefix("25") && zone.count > 2 ? zone.dropFirst(2) : zone
    }

    /// Whether the host is this machine by its name or address (RFC 6761 §6.3, RFC 1122 §3.2.1.3,
    /// RFC 4291 §2.5.3), or the URL has no server, or a program of this machine instead.
    package var isLoopback: Bool {
        scheme.isLocal || scheme == .custom || host == "localhost"
            || host.hasByteSuffix(".localhost")
            || host == "[::1]"
            || isAddress && host.hasBytePrefix("127.")
    }

    /// Whether requests cannot be intercepted: TLS, SSH, or this machine (Secure Contexts §3.1).
    package var isConfidential: Bool { scheme.isEncrypted || isLoopback }

    /// `https://host:port`, without the scheme's default port.
    package var text: String {
        if scheme.isLocal { return "\(scheme.rawValue):" }
        if scheme == .custom { return host }
        return port == scheme.defaultPort
            ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
    }
}

extension TransferURL {
    /// Resolves a reference received from this URL (RFC 3986 §5.2.2); nil for an unusable result.
    ///
    /// The result has no fragment. Dot segments stay, as in every other URL.
    package func resolving(_ reference: String) -> TransferURL? {
        let reference = Substring(reference.utf8.prefix { $0 != UInt8(ascii: "#") })
        let base = site
        let target: String
        if Self.hasScheme(reference) {
            target = String(reference)
        } else if reference.hasBytePrefix("//") {
            target = "\(origin.scheme.rawValue):\(reference)"
        } else if reference.hasBytePrefix("/") {
            target = base + reference
        } else if reference.hasBytePrefix("?") {
            target = base + path + reference
        } else if reference.isEmpty {
            target = base + path + (query.isEmpty ? "" : "?\(query)")
        } else {
            target = base + (path.cut(atLast: "/")?.before ?? "") + "/" + reference
        }
        return try? TransferURL(target, like: self)
    }

    /// Whether the reference has a scheme: a colon before any slash, question mark or hash.
    private static func hasScheme(_ reference: Substring) -> Bool {
        let end = reference.utf8.firstIndex {
            $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?")
                || $0 == UInt8(ascii: "#")
        }
        guard let end else { return false }
        return reference.utf8[end] == UInt8(ascii: ":") && end > reference.startIndex
    }
}
