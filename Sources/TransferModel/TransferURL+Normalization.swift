internal import SystemKit

// Equivalent forms of a URL (RFC 3986 §6.2.2).
extension TransferURL {
    /// The path to send: without dot segments (RFC 3986 §5.2.4).
    ///
    /// Percent-encoded dots count as dots (RFC 3986 §6.2.2.2).
    package var sentPath: String {
        let path = path
        guard mayHaveDotSegments else { return path }
        var segments = path.utf8.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        ).dropFirst()
        let last = segments.last
        var kept: [Substring.UTF8View] = []
        while let segment = segments.popFirst() {
            switch Self.dotCount(segment.span) {
            case 1: break
            case 2: _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        // A final dot segment names a folder.
        if let last, (1...2).contains(Self.dotCount(last.span)) { kept.append("".utf8[...]) }
        return "/" + kept.map { String(Substring($0)) }.joined(separator: "/")
    }

    /// The URL to request: its path has no dot segments.
    ///
    /// Releases of libcurl remove different segments, so libcurl is told to remove none
    /// (CURLOPT_PATH_AS_IS).
    package var sentText: String {
        guard mayHaveDotSegments else { return text }
        return Self.slice(text, 0..<authorityEnd) + sentPath
            + Self.slice(text, pathEnd..<text.utf8.count)
    }

    /// The path and the query as sent (RFC 9112 §3.2.1).
    package var requestTarget: String {
        let text = sentText
        let end = text.utf8.span.firstIndex(of: UInt8(ascii: "#")) ?? text.utf8.count
        let target = Self.slice(text, authorityEnd..<end)
        return pathEnd > authorityEnd ? target : "/" + target
    }

    /// The one form of all equivalent URLs, without a fragment: lower-case host, no dot segments,
    /// escapes in capitals, non-ASCII escaped and unreserved characters unescaped.
    package var normalized: TransferURL {
        if isNormalized { return self }
        let path = Self.withUsualEscapes(sentPath)
        let query = query
        let tail = query.isEmpty ? "" : "?" + Self.withUsualEscapes(query)
        return (try? TransferURL(origin.text + path + tail, like: self)) ?? self
    }

    /// The URL for requests signed for AWS, whose servers sign the decoded URL: normalized, and all
    /// but unreserved characters and separators escaped.
    ///
    /// A raw `+` means a space to S3 in a path, and itself to stores like S3; in a query it means a
    /// space to all of them.
    package var signable: TransferURL {
        let url = normalized
        let path = Self.encoded(url.path, keeping: UInt8(ascii: "/"))
        let query = url.query.utf8.split(
            separator: UInt8(ascii: "+"),
            omittingEmptySubsequences: false
        ).map {
            Self.encoded(String(Substring($0)), keeping: UInt8(ascii: "&"), UInt8(ascii: "="))
        }.joined(separator: "%20")
        let tail = query.isEmpty ? "" : "?" + query
        return (try? TransferURL(url.origin.text + path + tail, like: url)) ?? url
    }

    /// The text with all but unreserved characters, escapes and `kept` escaped.
    private static func encoded(_ text: String, keeping kept: UInt8...) -> String {
        PercentCoding.encode(text) {
            $0.isUnreserved || $0 == UInt8(ascii: "%") || kept.contains($0)
        }
    }

    /// Whether a quick look shows that the URL is normalized, as most are.
    private var isNormalized: Bool {
        let bytes = text.utf8.span
        let origin = origin.text
        guard pathEnd > authorityEnd, !mayHaveDotSegments,
            bytes[bytes.count - 1] != UInt8(ascii: "?"),
            bytes.extracting(first: authorityEnd).equals(origin.utf8.span)
        else { return false }
        for index in authorityEnd..<bytes.count
        where bytes[index] >= 0x80 || bytes[index] == UInt8(ascii: "%")
            || bytes[index] == UInt8(ascii: "#")
        {
            return false
        }
        return true
    }

    /// Whether the path may have dot segments, which are not sent as written.
    package var mayHaveDotSegments: Bool {
        let bytes = text.utf8.span
        var index = authorityEnd
        while index + 1 < pathEnd {
            if bytes[index] == UInt8(ascii: "/"),
                bytes[index + 1] == UInt8(ascii: ".") || bytes[index + 1] == UInt8(ascii: "%")
            {
                return true
            }
            index += 1
        }
        return false
    }

    /// The URL that a request line requests.
    ///
    /// nil when the line has no target.
    package func asked(by line: Span<UInt8>) -> String? {
        let space = UInt8(ascii: " ")
        guard let start = line.indices.first(where: { line[$0] == space }),
            let length = line.extracting(droppingFirst: start + 1).indices.first(where: {
                line[start + 1 + $0] == space
            }), length > 0
        else { return nil }
        let target = line.extracting(start + 1..<start + 1 + length)
        let text = String(decoding: target.indices.map { target[$0] }, as: UTF8.self)
        // A request to a proxy has the whole URL (RFC 9112 §3.2.2).
        return text.utf8.first == UInt8(ascii: "/") ? origin.text + text : text
    }

    /// The number of dots in a segment of dots only, raw or percent-encoded; 0 for other segments.
    package static func dotCount(_ segment: Span<UInt8>) -> Int {
        var index = 0
        var count = 0
        while index < segment.count {
            if segment[index] == UInt8(ascii: ".") {
                index += 1
            } else if segment[index] == UInt8(ascii: "%"), index + 2 < segment.count,
                segment[index + 1] == UInt8(ascii: "2"),
                segment[index + 2] | 0x20 == UInt8(ascii: "e")
            {
                index += 3
            } else {
                return 0
            }
            count += 1
        }
        return count
    }

    /// The text with unreserved characters unescaped and other escapes in capitals.
    private static func withUsualEscapes(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 >= 0x80 }) else {
            return text
        }
        var result: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte < 0x80 else {
                PercentCoding.encode(byte, into: &result)
                continue
            }
            let digits = rest.prefix(2)
            guard byte == UInt8(ascii: "%"), digits.count == 2,
                let high = digits.first?.hexadecimalValue,
                let low = digits.last?.hexadecimalValue
            else {
                result.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            let escaped = high << 4 | low
            if escaped.isUnreserved {
                result.append(escaped)
            } else {
                result.append(byte)
                result += digits.map { $0 < 97 ? $0 : $0 - 32 }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
