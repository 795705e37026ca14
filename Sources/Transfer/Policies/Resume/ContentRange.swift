internal import SystemKit
internal import TransferModel

/// Which bytes of which whole a part has: a `Content-Range` of bytes that could be satisfied (RFC
/// 9110 §14.4).
struct ContentRange: Hashable {
    /// The positions of the first and the last byte.
    let bytes: ClosedRange<Int64>
    /// The length of the whole; nil when the server does not know it.
    let total: Int64?

    /// Reads `bytes 5-9/10` and `bytes 5-9/*`; nil for another unit, a range without end, and one
    /// that is not within the whole.
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

    /// Digits alone: what converts texts to numbers takes signs, too.
    private static func position(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }
}
