internal import CurlKit
internal import JSON

/// The text of a small record: one line of JSON and one with its SHA-256, so that a line that a
/// crash has torn is not believed.
enum SealedLine {
    /// Longer texts are none of ours, bytes.
    static let maximumSize = 64 << 10

    /// The text for a line; nil when it would be too long, and without libcrypto.
    static func text(of line: [UInt8]) -> [UInt8]? {
        guard let seal = MessageDigest.sha256(of: line) else { return nil }
        let text = line + Array("\n\"\(seal)\"\n".utf8)
        return text.count <= maximumSize ? text : nil
    }

    /// What stands in a text that is whole; nil for any other.
    static func value(in text: [UInt8]) -> JSONValue? {
        guard let (line, end) = first(in: text[...]), end == text.count else { return nil }
        return try? JSONValue(bytes: Array(line))
    }

    /// What stands in the last of several texts, one behind the other; nil when not even the first
    /// one is whole.
    ///
    /// - Parameter texts: The texts. What is behind the first one that a crash has torn does not
    ///   count.
    /// - Returns: The value, and where its text ends.
    static func lastValue(in texts: [UInt8]) -> (value: JSONValue, end: Int)? {
        guard var last = first(in: texts[...]) else { return nil }
        while let next = first(in: texts[last.end...]) { last = next }
        guard let value = try? JSONValue(bytes: Array(last.line)) else { return nil }
        return (value, last.end)
    }

    /// The line of the text that others may follow, and where the text ends; nil when it is not
    /// whole.
    private static func first(
        in texts: ArraySlice<UInt8>
    ) -> (line: ArraySlice<UInt8>, end: Int)? {
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
