internal import SystemKit

/// Takes secrets out of text that comes in pieces, wherever these end.
///
/// Text that may be the beginning of a secret is held back until it is known to be one or not. What
/// is held is at most `mostHeld` bytes; each byte is looked at a few times, however the text is
/// cut.
struct StreamRedactor {
    /// How often the text that is held back has to grow before it is looked through again, bytes:
    /// else a long secret that comes byte by byte would be looked through for each of them.
    private static let shortText = 4096

    private let redactor: Redactor?
    private var held: [UInt8] = []
    /// How much has to be held before it is looked through again.
    private var nextLook = 0

    /// Nil for `redactor`: there are no secrets.
    init(_ redactor: Redactor?) { self.redactor = redactor }

    /// Takes the next bytes, after which nothing comes when they are the last; returns those that
    /// can be shown.
    mutating func take(_ bytes: [UInt8], isLast: Bool = false) -> [UInt8] {
        guard let redactor else { return bytes }
        held += bytes
        guard isLast || held.count >= nextLook else { return [] }
        var end = isLast ? held.count : redactor.openSecret(in: held.span) ?? held.count
        // No claimed form of a secret is that long.
        let isCut = isLast || held.count - end > redactor.longestForm
        if isCut { end = held.count }
        defer {
            held.removeFirst(end)
            nextLook = held.count > Self.shortText ? held.count * 2 : 0
        }
        guard isCut else { return redactor.redacted(Array(held[..<end])) }
        // The ellipsis is how the beginning of a secret is known for one.
        let ellipsis = Array("…".utf8)
        return redactor.redacted(held + ellipsis).dropLast(ellipsis.count)
    }
}
