internal import CurlKit
internal import JSON

/// The text of a small record: one line of JSON and one with its SHA-256, so that a line torn by a
/// crash is not used.
enum SealedLine {
    /// Longer texts do not come from this program, bytes.
    static let maximumSize = 64 << 10

    /// The text for a line; nil when it would be too long, and without libcrypto.
    static func text(of line: [UInt8]) -> [UInt8]? {
        guard let seal = MessageDigest.sha256(of: line) else { return nil }
        let text = line + Array("\n\"\(seal)\"\n".utf8)
        return text.count <= maximumSize ? text : nil
    }

    /// The value of a complete text; nil for any other text.
    static func value(in text: [UInt8]) -> JSONValue? {
        guard let (line, end) = first(in: text[...]), end == text.count else { return nil }
        return try? JSONValue(bytes: Array(line))
    }

    /// The value of the last of several consecutive texts; nil when not even the first one is
    /// complete.
    ///
    /// - Parameter texts: The texts. Text after the first torn one does not count.
    /// - Returns: The value, and the end of its text.
    static func lastValue(in texts: [UInt8]) -> (value: JSONValue, end: Int)? {
        guard var last = first(in: texts[...]) else { return nil }
        while let next = first(in: texts[last.end...]) { last = next }
        guard let value = try? JSONValue(bytes: Array(last.line)) else { return nil }
        return (value, last.end)
    }

    /// The line of the first text, and the end of that text; nil when it is incomplete.
    private static func first(in texts: ArraySlice<UInt8>) -> (line: ArraySlice<UInt8>, end: Int)? {
        guard let lineEnd = texts.firstIndex(of: 10),
            case let rest = texts[(lineEnd + 1)...],
            let sealEnd = rest.firstIndex(of: 10),
            case let line = texts[..<lineEnd],
            let seal = MessageDigest.sha256(of: Array(line)),
            rest[..<sealEnd].elementsEqual("\"\(seal)\"".utf8)
        else { return nil }
        return (line, sealEnd + 1)
    }
}
