internal import SystemKit

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
