internal import SystemKit
internal import TransferModel

/// A program's output, split into complete lines without secrets.
///
/// Secrets are removed before the split, since a secret may span lines. Each instance reads one
/// stream, so that another stream's text cannot split a secret.
package struct ProgramLines {
    private let longestLine: Int
    private var stream: StreamRedactor
    /// The incomplete line, without secrets.
    private var line: [UInt8] = []

    /// A nil `redactor` means no secrets; lines longer than that, bytes, are shown in pieces.
    package init(redactor: Redactor?, longestLine: Int = 64 << 10) {
        self.longestLine = longestLine
        stream = StreamRedactor(redactor)
    }

    /// Takes the next bytes, the last ones if `isLast`, and returns the lines to show.
    package mutating func take(_ bytes: [UInt8], isLast: Bool = false) -> [String] {
        line += stream.take(bytes, isLast: isLast)
        var end = line.lastIndex(of: 10).map { $0 + 1 } ?? 0
        if line.count - end > longestLine {
            end = Self.endOfPiece(line)
        }
        if isLast { end = line.count }
        guard end > 0 else { return [] }
        defer { line.removeFirst(end) }
        return Self.lines(of: line[..<end])
    }

    /// Where to cut a long line: between characters, and before a URL whose host may not have
    /// begun.
    private static func endOfPiece(_ line: [UInt8]) -> Int {
        if let start = openURL(line) { return start }
        // A character has at most three continuation bytes; others are not part of a character.
        let tail = line.suffix(4)
        guard let lead = tail.lastIndex(where: { $0 & 0xC0 != 0x80 }), line[lead] >= 0xC0 else {
            return line.count
        }
        return lead
    }

    /// The start of a URL whose authority is open at the end of a line: it may be a login whose `@`
    /// follows.
    private static func openURL(_ line: [UInt8]) -> Int? {
        UserInformation.openAuthority(in: line.span, within: longestAuthority)
            .flatMap { startOfScheme(line, endingAt: $0) }
    }

    /// The start of the word that ends at an index; nil if that is the start of the line.
    private static func startOfScheme(_ line: [UInt8], endingAt end: Int) -> Int? {
        var start = end
        while start > 0, line[start - 1] > 0x20, end - start < longestScheme {
            start -= 1
        }
        return start > 0 ? start : nil
    }

    /// The bytes of a login and a host, and of the scheme before their slashes.
    private static let longestAuthority = 8 << 10
    private static let longestScheme = 16

    /// The nonempty lines in their final form on a terminal: a carriage return overwrites the text
    /// before it.
    private static func lines(of text: ArraySlice<UInt8>) -> [String] {
        text.split(separator: 10).compactMap { line in
            line.split(separator: 13).last.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

/// The error output of the programs behind bodies, by task.
struct ProgramOutput {
    /// The most lines kept for a task that may fail, and the most bytes of one.
    private static let (mostKept, longestKept) = (20, 1024)

    let redactor: Redactor?
    private var open: [String: ProgramLines] = [:]
    private var kept: [String: [String]] = [:]

    /// A nil `redactor` means no secrets.
    init(redactor: Redactor?) { self.redactor = redactor }

    /// Takes the next bytes of a task's program and returns the complete lines without secrets.
    mutating func take(_ bytes: [UInt8], of id: String, isLast: Bool) -> [String] {
        var text = open.removeValue(forKey: id) ?? ProgramLines(redactor: redactor)
        let lines = text.take(bytes, isLast: isLast)
        if !isLast { open[id] = text }
        return lines
    }

    /// Keeps the last lines until the task ends.
    mutating func keep(_ lines: [String], of id: String) {
        let cut = lines.map { String(decoding: $0.utf8.prefix(Self.longestKept), as: UTF8.self) }
        kept[id] = ((kept[id] ?? []) + cut).suffix(Self.mostKept)
    }

    /// Hands over the kept lines of a task that has ended.
    mutating func takeKept(of id: String) -> [String] {
        kept.isEmpty ? [] : kept.removeValue(forKey: id) ?? []
    }
}

/// Removes secrets from text that arrives in pieces of any size.
///
/// Text that may begin a secret is held back until that is decided. At most `mostHeld` bytes are
/// held, and each byte is examined a few times, whatever the pieces.
struct StreamRedactor {
    /// How much the held text must grow before the next search, bytes: a long secret that arrives
    /// byte by byte would otherwise be searched for each byte.
    private static let shortText = 4096

    private let redactor: Redactor?
    private var held: [UInt8] = []
    /// The number of held bytes for the next search.
    private var nextLook = 0

    /// A nil `redactor` means no secrets.
    init(_ redactor: Redactor?) { self.redactor = redactor }

    /// Takes the next bytes, the last ones if `isLast`; returns the bytes that can be shown.
    mutating func take(_ bytes: [UInt8], isLast: Bool = false) -> [UInt8] {
        guard let redactor else { return bytes }
        held += bytes
        guard isLast || held.count >= nextLook else { return [] }
        var end = isLast ? held.count : redactor.openSecret(in: held.span) ?? held.count
        // No supported form of a secret is that long.
        let isCut = isLast || held.count - end > redactor.longestForm
        if isCut { end = held.count }
        defer {
            held.removeFirst(end)
            nextLook = held.count > Self.shortText ? held.count * 2 : 0
        }
        guard isCut else { return redactor.redacted(Array(held[..<end])) }
        // The ellipsis lets the redactor recognize the beginning of a secret.
        let ellipsis = Array("…".utf8)
        return redactor.redacted(held + ellipsis).dropLast(ellipsis.count)
    }
}
