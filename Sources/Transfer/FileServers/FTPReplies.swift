internal import SystemKit

/// The replies of a server of FTP to the commands of one transfer (RFC 959 §4.2).
///
/// A value: lines go in as libcurl reports them. Commands are kept by their verb alone, because one
/// of them carries the password.
package struct FTPReplies {
    /// The last line of a reply.
    package struct Reply: Hashable {
        /// 100 to 599.
        package var code: Int
        /// The text after the code, printable and short.
        package var text: String
    }

    /// nil before the first reply.
    package private(set) var last: Reply?
    /// The size that the server names for the file (RFC 3659 §4); nil without an answer.
    package private(set) var size: Int64?
    /// Whether the server has answered `SIZE` with other text than a size, of which libcurl would
    /// take the last digits.
    package private(set) var hasBadSize = false
    private var asksForSize = false
    /// The bytes of replies since the last command.
    private var count = 0
    private static let mostBytes = 256 << 10

    /// Whether the replies to one command are longer than any real one.
    package var isEndless: Bool { count > Self.mostBytes }

    /// Creates the replies of a transfer that begins.
    package init() {}

    /// Takes a command with its line end.
    package mutating func didSend(_ line: Span<UInt8>) {
        count = 0
        let verb = "SIZE "
        asksForSize =
            line.count > verb.utf8.count
            && line.extracting(first: verb.utf8.count).equals(verb.utf8.span)
    }

    /// Takes a line of a reply with its line end.
    package mutating func didReceive(_ line: Span<UInt8>) {
        count += line.count
        guard line.count >= 3, let code = Self.number(line.extracting(first: 3)),
            (100...599).contains(code)
        else { return }
        // A hyphen follows the code in all lines of a reply but the last one.
        if line.count > 3, line[3] == UInt8(ascii: "-") { return }
        let rest = line.extracting(droppingFirst: min(4, line.count))
        var end = rest.count
        while end > 0, rest[end - 1] <= 32 { end -= 1 }
        let text = rest.extracting(first: end)
        last = Reply(
            code: Int(code),
            text: TextExcerpt.of(String(decoding: text.indices.map { text[$0] }, as: UTF8.self))
        )
        if asksForSize, code == 213 {
            size = Self.number(text)
            hasBadSize = size == nil
        }
        if code >= 200 { asksForSize = false }
    }

    /// A number of at most 18 digits.
    private static func number(_ digits: Span<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.count <= 18 else { return nil }
        var number: Int64 = 0
        for index in digits.indices {
            guard digits[index].isDigit else { return nil }
            number = number * 10 + Int64(digits[index] - 48)
        }
        return number
    }
}
