internal import CurlKit
internal import JSON

/// The text of a small record: one line of JSON and one with its SHA-256, so that a line that a crash has torn is not
/// believed.
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
        let lines = text.split(separator: 10, omittingEmptySubsequences: false)
        guard lines.count == 3, lines[2].isEmpty,
            let seal = MessageDigest.sha256(of: Array(lines[0])),
            lines[1].elementsEqual("\"\(seal)\"".utf8)
        else { return nil }
        return try? JSONValue(bytes: Array(lines[0]))
    }
}
