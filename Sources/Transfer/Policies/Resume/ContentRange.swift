internal import SystemKit
internal import TransferModel

/// A satisfied `Content-Range` of bytes: the range of a part and the length of the whole (RFC 9110
/// §14.4).
struct ContentRange: Hashable {
    /// The offsets of the first and the last byte.
    let bytes: ClosedRange<Int64>
    /// The length of the whole; nil when the server does not know it.
    let total: Int64?

    /// Reads `bytes 5-9/10` and `bytes 5-9/*`; nil for another unit, a range without an end, and a
    /// range outside of the whole.
    init?(_ text: String) {
        let words = text.splitAtBytes(" ", omittingEmpty: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].splitAtBytes("/", omittingEmpty: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].splitAtBytes("-", omittingEmpty: false)
        guard ends.count == 2, let first = Self.position(ends[0]),
            let last = Self.position(ends[1]), first <= last
        else { return nil }
        bytes = first...last
        if parts[1] == "*" {
            total = nil
        } else {
            guard let length = Self.position(parts[1]), last < length else { return nil }
            total = length
        }
    }

    /// Accepts digits only: the conversion of texts to numbers also takes signs.
    private static func position(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }
}
