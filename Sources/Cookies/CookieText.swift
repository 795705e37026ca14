internal import JSON
internal import SystemKit
internal import TransferModel

/// The text of a cookie file: a line of JSON for each cookie, a header before, and a checksum at
/// the end.
///
/// Netscape's format, which other programs read, has no columns for the cookie order, `SameSite`,
/// the time of changes and deletions. Processes need these to merge their cookies.
enum CookieText {
    private static let formatVersion: Int64 = 1

    /// Writes a list of persistent cookies.
    static func make(_ cookies: [Cookie]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("cookies", formatVersion)
        writer.endObject()
        var text = line(of: &writer)
        for cookie in cookies {
            write(cookie, to: &writer)
            text += line(of: &writer)
        }
        writer.beginObject()
        writer.member("count", cookies.count)
        writer.member("checksum", checksum(of: text[...]))
        writer.endObject()
        return text + line(of: &writer)
    }

    /// Parses the text of `make`; nil for anything else.
    static func parse(_ text: [UInt8]) -> [Cookie]? {
        let newline = UInt8(ascii: "\n")
        guard text.last == newline else { return nil }
        let start = text.dropLast().lastIndex(of: newline).map { $0 + 1 } ?? 0
        guard let end = try? JSONValue(bytes: Array(text[start...].dropLast())),
            end["checksum"]?.string == checksum(of: text[..<start])
        else { return nil }
        var lines = text[..<start].split(separator: newline).makeIterator()
        guard let first = lines.next(), let head = try? JSONValue(bytes: Array(first)),
            head["cookies"]?.integer == formatVersion
        else { return nil }
        var cookies: [Cookie] = []
        while let line = lines.next() {
            guard let value = try? JSONValue(bytes: Array(line)), let cookie = Cookie(value)
            else { return nil }
            cookies.append(cookie)
        }
        return cookies
    }

    private static func line(of writer: inout JSONWriter) -> [UInt8] {
        defer { writer.reset() }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Detects damage on the disk, but not forgery.
    private static func checksum(of bytes: ArraySlice<UInt8>) -> String {
        String(bytes.span.fnv1a, radix: 16)
    }

    private static func write(_ cookie: Cookie, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", cookie.name)
        writer.member("value", cookie.value)
        writer.member("domain", cookie.domain)
        writer.member("path", cookie.path)
        writer.member("isHostOnly", cookie.isHostOnly)
        writer.member("isSecure", cookie.isSecure)
        writer.member("isHTTPOnly", cookie.isHTTPOnly)
        writer.member("sameSite", cookie.sameSite.rawValue)
        writer.member("source", cookie.source.text)
        writer.member("expiryTimeUs", cookie.expiryTime ?? .distantPast)
        writer.member("creationTimeUs", cookie.creationTime)
        writer.member("modificationTimeUs", cookie.modificationTime)
        writer.member("lastAccessTimeUs", cookie.lastAccessTime)
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ value: Timestamp) {
        key(name)
        integer(value.microseconds)
    }
}

extension Cookie {
    /// Parses a line of a cookie file; nil when a member is missing.
    fileprivate init?(_ line: JSONValue) {
        func time(_ name: String) -> Timestamp? {
            line[name]?.integer.map(Timestamp.init(microseconds:))
        }
        guard let name = line["name"]?.string, let value = line["value"]?.string,
            let domain = line["domain"]?.string, let path = line["path"]?.string,
            let isHostOnly = line["isHostOnly"]?.bool, let isSecure = line["isSecure"]?.bool,
            let isHTTPOnly = line["isHTTPOnly"]?.bool,
            let sameSite = line["sameSite"]?.string.flatMap(SetCookie.SameSite.init(rawValue:)),
            let source = line["source"]?.string.flatMap({ try? TransferURL($0).origin }),
            let expiryTime = time("expiryTimeUs"), let creationTime = time("creationTimeUs"),
            let modificationTime = time("modificationTimeUs"),
            let lastAccessTime = time("lastAccessTimeUs"),
            (name + value).utf8.allSatisfy(\.isFieldByte)
        else { return nil }
        self.name = name
        self.value = value
        self.domain = domain
        self.path = path
        self.isHostOnly = isHostOnly
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.source = source
        self.expiryTime = expiryTime
        self.creationTime = creationTime
        self.modificationTime = modificationTime
        self.lastAccessTime = lastAccessTime
    }
}
