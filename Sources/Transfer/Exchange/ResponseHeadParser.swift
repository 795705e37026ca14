internal import SystemKit
internal import TransferModel

/// Reads the lines of response heads and detects violations of HTTP's framing rules.
///
/// Trailers are only reported, not read.
struct ResponseHeadParser {
    /// The meaning of a line.
    enum Step {
        /// The head is incomplete.
        case reading
        /// The head of an informational response is complete.
        case informed(ResponseHead)
        /// A status line with a final status: the response begins.
        case began
        /// The head of the final response is complete.
        case ended(ResponseHead)
        /// A line after the body.
        case trailer
        /// The head is invalid; the text says why.
        case violation(String)
    }

    /// The limits for heads, informational ones and trailers included: no legitimate server exceeds
    /// them.
    static let maximumBytes = 300 << 10
    static let maximumFields = 1000

    /// Whether the request asks for another protocol, so that 101 is a final status (RFC 9110
    /// §7.8).
    var switchesProtocols = false
    /// The framing of the final response's body (RFC 9112 §6.3).
    private(set) var framing = ResponseFraming()
    private var statusCode = 0
    private var fields = HeaderFields()
    /// Whether the fields may include `Set-Cookie`; most responses need no search for it.
    private(set) var maySetCookies = false
    /// Whether the fields may include a digest (RFC 9530); most responses need no search for it.
    private(set) var mayHaveDigest = false
    private var isInHead = false
    private var isDone = false
    private(set) var byteCount = 0

    /// Reads one line with its line end.
    mutating func read(_ line: Span<UInt8>) -> Step {
        byteCount += line.count
        guard byteCount <= Self.maximumBytes else {
            return .violation(
                "the response heads and trailers are larger than \(Self.maximumBytes) bytes"
            )
        }
        guard !isDone else { return .trailer }
        if Self.isStatusLine(line) {
            statusCode = Self.statusCode(line) ?? 0
            fields = HeaderFields()
            fields.reserveCapacity(512)
            framing = ResponseFraming()
            maySetCookies = false
            mayHaveDigest = false
            isInHead = true
            guard (100...599).contains(statusCode) else {
                return .violation("the status line has no valid status code")
            }
            guard statusCode != 101 || switchesProtocols else {
                return .violation(
                    "the server switched protocols (101), but the request had no Upgrade field"
                )
            }
            // RFC 9110 §7.8: HTTP/1.0 has no Upgrade, HTTP/2 has none any more (RFC 9113 §8.6).
            guard statusCode != 101 || Self.isOfHTTP11(line) else {
                return .violation("only a response of HTTP/1.1 can switch protocols (101)")
            }
            return isFinal ? .began : .reading
        }
        guard isInHead else { return .reading }
        if Self.isEmpty(line) { return end() }
        fields.append(line: line)
        framing.note(line)
        if Self.maySetCookie(line) { maySetCookies = true }
        if Self.mayBeDigest(line) { mayHaveDigest = true }
        guard fields.count <= Self.maximumFields else {
            return .violation("the response head has more than \(Self.maximumFields) fields")
        }
        return .reading
    }

    /// Takes the place of a head without lines, whose body has a length; nil if unknown.
    mutating func assume(length: Int64?) {
        isDone = true
        if let length { framing.note("Content-Length: \(length)".utf8.span) }
    }

    private var isFinal: Bool { statusCode >= 200 || statusCode == 101 }

    private mutating func end() -> Step {
        isInHead = false
        guard isFinal else {
            return .informed(ResponseHead(statusCode: statusCode, fields: fields))
        }
        isDone = true
        if let violation = framing.violation { return .violation(violation) }
        return .ended(ResponseHead(statusCode: statusCode, fields: fields))
    }

    /// Whether the name has the length and the hyphen of `Set-Cookie`.
    private static func maySetCookie(_ line: Span<UInt8>) -> Bool {
        line.count > 10 && line[10] == UInt8(ascii: ":") && line[3] == UInt8(ascii: "-")
    }

    /// Whether the name has the length of `Repr-Digest` or `Content-Digest` and their `D`.
    private static func mayBeDigest(_ line: Span<UInt8>) -> Bool {
        guard line.count > 14 else { return false }
        return line[11] == UInt8(ascii: ":") && line[5] | 0x20 == UInt8(ascii: "d")
            || line[14] == UInt8(ascii: ":") && line[8] | 0x20 == UInt8(ascii: "d")
    }

    private static func isEmpty(_ line: Span<UInt8>) -> Bool {
        line.isEmpty || line[0] == 13 || line[0] == 10
    }

    private static func isStatusLine(_ line: Span<UInt8>) -> Bool {
        line.count >= 6 && line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T")
            && line[2] == UInt8(ascii: "T") && line[3] == UInt8(ascii: "P")
            && line[4] == UInt8(ascii: "/")
    }

    /// Whether a status line is of HTTP/1.1, or of a later minor version (RFC 9112 §2.3).
    private static func isOfHTTP11(_ line: Span<UInt8>) -> Bool {
        line.count > 8 && line[5] == UInt8(ascii: "1") && line[6] == UInt8(ascii: ".")
            && (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(line[7]) && line[8] == 32
    }

    /// The status code after the first space; nil unless it has three digits (RFC 9112 §4).
    private static func statusCode(_ line: Span<UInt8>) -> Int? {
        var index = 5
        while index < line.count, line[index] != 32 { index += 1 }
        guard index + 3 < line.count else { return nil }
        var code = 0
        for position in (index + 1)...(index + 3) {
            guard (48...57).contains(line[position]) else { return nil }
            code = code * 10 + Int(line[position] - 48)
        }
        let end = index + 4
        guard end == line.count || line[end] <= 32 else { return nil }
        return code
    }
}
