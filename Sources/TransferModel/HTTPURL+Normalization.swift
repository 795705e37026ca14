// The forms of a URL that mean the same to a server (RFC 3986 §6.2.2).
extension HTTPURL {
    /// The path as the server takes it: without dot segments (RFC 3986 §5.2.4).
    ///
    /// libcurl removes them before it sends the request; of percent-encoded ones only newer releases do, and servers otherwise.
    package var sentPath: String {
        let path = path
        guard path.contains("/.") || path.contains("/%2") else { return path }
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

    /// The URL as it is signed and sent with its signature, without a fragment: no dot segments, escapes in capitals, and none
    /// for a character that needs none.
    package var normalized: HTTPURL {
        let authority = Self.slice(text, 0..<authorityEnd)
        let path = Self.withUsualEscapes(sentPath)
        let query = query
        let tail = query.isEmpty ? "" : "?" + Self.withUsualEscapes(query)
        return (try? HTTPURL(authority + path + tail, like: self)) ?? self
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
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var result: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            guard byte == UInt8(ascii: "%"), digits.count == 2,
                let high = digits.first.flatMap(hexadecimalValue),
                let low = digits.last.flatMap(hexadecimalValue)
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

    private static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 65...70: digit - 55
        case 97...102: digit - 87
        default: nil
        }
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
