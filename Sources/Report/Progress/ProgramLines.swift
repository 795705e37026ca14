internal import TransferModel

/// What a program writes, cut into lines without secrets as soon as they are whole.
///
/// Secrets are taken out before the text is cut: a secret may go on in the next line. One of these
/// reads one stream, so that another stream's text does not come between two halves of a secret.
package struct ProgramLines {
    /// A longer line is shown in pieces, bytes.
    private static let longestLine = 64 << 10

    private var stream: StreamRedactor
    /// The line that has no end yet, without secrets.
    private var line: [UInt8] = []

    /// Nil for `redactor`: there are no secrets.
    package init(redactor: Redactor?) { stream = StreamRedactor(redactor) }

    /// Takes the next bytes, after which nothing comes when they are the last, and returns the
    /// lines that can be shown.
    package mutating func take(_ bytes: [UInt8], isLast: Bool = false) -> [String] {
        line += stream.take(bytes, isLast: isLast)
        var end = line.lastIndex(of: 10).map { $0 + 1 } ?? 0
        if line.count - end > Self.longestLine {
            end = Self.endOfPiece(line)
        }
        if isLast { end = line.count }
        guard end > 0 else { return [] }
        defer { line.removeFirst(end) }
        return Self.lines(of: line[..<end])
    }

    /// Where a long line may be cut: between characters, and in front of a URL whose host has not
    /// begun for certain.
    private static func endOfPiece(_ line: [UInt8]) -> Int {
        if let start = openURL(line) { return start }
        // A character has three continuation bytes at most; other bytes are no character.
        let tail = line.suffix(4)
        guard let lead = tail.lastIndex(where: { $0 & 0xC0 != 0x80 }), line[lead] >= 0xC0 else {
            return line.count
        }
        return lead
    }

    /// Where the URL begins in whose authority a line ends: it may be a login so far, whose `@` has
    /// not come.
    private static func openURL(_ line: [UInt8]) -> Int? {
        UserInformation.openAuthority(in: line.span, within: longestAuthority)
            .flatMap { startOfScheme(line, endingAt: $0) }
    }

    /// Where the word begins that ends in front of an index; nil where it is the whole line.
    private static func startOfScheme(_ line: [UInt8], endingAt end: Int) -> Int? {
        var start = end
        while start > 0, line[start - 1] > 0x20, end - start < longestScheme {
            start -= 1
        }
        return start > 0 ? start : nil
    }

    /// Bytes of a login and a host, and of what stands in front of their slashes.
    private static let longestAuthority = 8 << 10
    private static let longestScheme = 16

    /// Those that are not empty, each as a terminal shows it at last: without what a carriage
    /// return takes back.
    private static func lines(of text: ArraySlice<UInt8>) -> [String] {
        text.split(separator: 10).compactMap { line in
            line.split(separator: 13).last.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
