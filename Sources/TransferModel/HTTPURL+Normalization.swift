internal import SystemKit

// The forms of a URL that mean the same to a server (RFC 3986 §6.2.2).
extension HTTPURL {
    /// The path as the server takes it: without dot segments (RFC 3986 §5.2.4).
    ///
    /// libcurl removes them before it sends the request; of percent-encoded ones only newer releases do, and servers otherwise.
    package var sentPath: String {
        let path = path
        guard mayHaveDotSegments else { return path }
        var segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let last = segments.last
        var kept: [Substring] = []
        while let segment = segments.popFirst() {
            switch Self.dotCount(segment) {
            case 1: break
            case 2: _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        // What ends in a dot segment is a folder.
        if let last, (1...2).contains(Self.dotCount(last)) { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }

    /// The URL as it is signed and sent with its signature, without a fragment: host in small letters, no dot segments, all
    /// that is not ASCII escaped, escapes in capitals, and none for a character that needs none.
    package var normalized: HTTPURL {
        if isNormalized { return self }
        let path = Self.withUsualEscapes(sentPath)
        let query = query
        let tail = query.isEmpty ? "" : "?" + Self.withUsualEscapes(query)
        return (try? HTTPURL(origin.text + path + tail, like: self)) ?? self
    }

    /// Whether it is seen at a glance to be written so already, as most are.
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

    /// Whether it may have segments of dots, in whose place something else is sent.
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

    /// The URL that a request line asks for.
    ///
    /// nil when there is no target in it.
    package func asked(by line: Span<UInt8>) -> String? {
        let space = UInt8(ascii: " ")
        guard let start = line.indices.first(where: { line[$0] == space }),
            let length = line.extracting(droppingFirst: start + 1).indices.first(where: {
                line[start + 1 + $0] == space
            }), length > 0
        else { return nil }
        let target = line.extracting(start + 1..<start + 1 + length)
        let text = String(decoding: target.indices.map { target[$0] }, as: UTF8.self)
        // A proxy is asked for the whole URL (RFC 9112 §3.2.2).
        return text.hasPrefix("/") ? origin.text + text : text
    }

    /// How many dots a segment is made of, as they are or percent-encoded; 0 when it has anything else.
    private static func dotCount(_ segment: Substring) -> Int {
        var rest = segment.utf8[...]
        var count = 0
        while let first = rest.popFirst() {
            if first == UInt8(ascii: "%") {
                guard rest.popFirst() == UInt8(ascii: "2"), let digit = rest.popFirst(),
                    digit | 0x20 == UInt8(ascii: "e")
                else { return 0 }
            } else if first != UInt8(ascii: ".") {
                return 0
            }
            count += 1
        }
        return count
    }

    /// The text with the escapes of unreserved characters undone and the digits of others in capitals.
    private static func withUsualEscapes(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 >= 0x80 }) else {
            return text
        }
        var result: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte < 0x80 else {
                result += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
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

    /// A hexadecimal digit in capitals.
    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension UInt8 {
    /// Whether it is a character that no URL needs to escape (RFC 3986 §2.3).
    package var isUnreserved: Bool {
        switch self {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
