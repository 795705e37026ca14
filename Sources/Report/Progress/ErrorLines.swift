/// What a program writes, cut into lines without secrets as soon as they are whole.
///
/// A line that may hold the beginning of a secret waits for the next one: the rest of the secret may stand there.
struct ErrorLines {
    /// How much is held back, bytes: more than any secret takes, in whatever way it is written.
    private static let mostHeld = 1 << 20

    private let redactor: Redactor?
    private var held: [UInt8] = []

    init(redactor: Redactor?) { self.redactor = redactor }

    /// Takes the next bytes, after which nothing comes when they are the last, and returns the lines that can be shown.
    mutating func take(_ bytes: [UInt8], isLast: Bool) -> [String] {
        held += bytes
        var end = held.count
        if !isLast, end <= Self.mostHeld {
            end = Self.endOfLines(in: held[...])
            if let open = redactor?.unfinishedSecret(in: Array(held[..<end])) {
                end = Self.endOfLines(in: held[..<open])
            }
        }
        guard end > 0 else { return [] }
        let isCut = isLast || end > Self.mostHeld
        let text = redacted(Array(held[..<end]), isCut: isCut)
        held.removeFirst(end)
        return Self.lines(of: text)
    }

    /// Where the last whole line ends.
    private static func endOfLines(in bytes: ArraySlice<UInt8>) -> Int {
        bytes.lastIndex(of: 10).map { $0 + 1 } ?? 0
    }

    /// The text without secrets, and without the beginning of one at a cut.
    private func redacted(_ text: [UInt8], isCut: Bool) -> [UInt8] {
        guard let redactor else { return text }
        guard isCut else { return redactor.redacted(text) }
        let ellipsis = Array("…".utf8)
        return redactor.redacted(text + ellipsis).dropLast(ellipsis.count)
    }

    /// Those that are not empty, each as a terminal shows it at last: without what a carriage return takes back.
    private static func lines(of text: [UInt8]) -> [String] {
        text.split(separator: 10).compactMap { line in
            line.split(separator: 13).last.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
