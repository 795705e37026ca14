/// What a program writes, cut into lines without secrets as soon as they are whole.
///
/// Secrets are taken out before the text is cut: a secret may go on in the next line. One of these reads one stream,
/// so that another stream's text does not come between two halves of a secret.
package struct ProgramLines {
    /// A longer line is shown in pieces, bytes.
    private static let longestLine = 64 << 10

    private var stream: StreamRedactor
    /// The line that has no end yet, without secrets.
    private var line: [UInt8] = []

    /// Nil for `redactor`: there are no secrets.
    package init(redactor: Redactor?) { stream = StreamRedactor(redactor) }

    /// Takes the next bytes, after which nothing comes when they are the last, and returns the lines that can be shown.
    package mutating func take(_ bytes: [UInt8], isLast: Bool = false) -> [String] {
        line += stream.take(bytes, isLast: isLast)
        var end = line.lastIndex(of: 10).map { $0 + 1 } ?? 0
        if line.count - end > Self.longestLine {
            end = line.count
            while end > 0, line[end - 1] & 0xC0 == 0x80 { end -= 1 }
            if line[max(end - 1, 0)] >= 0xC0 { end -= 1 }
        }
        if isLast { end = line.count }
        guard end > 0 else { return [] }
        defer { line.removeFirst(end) }
        return Self.lines(of: line[..<end])
    }

    /// Those that are not empty, each as a terminal shows it at last: without what a carriage return takes back.
    private static func lines(of text: ArraySlice<UInt8>) -> [String] {
        text.split(separator: 10).compactMap { line in
            line.split(separator: 13).last.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
