extension Span<UInt8> {
    /// Whether both hold the same bytes.
    func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// Whether the bytes are one of three spellings.
    func isOne(of first: String, _ second: String, _ third: String) -> Bool {
        isEqual(to: first.utf8.span) || isEqual(to: second.utf8.span)
            || isEqual(to: third.utf8.span)
    }

    /// The bytes as text; empty when they are not UTF-8.
    var text: String {
        do {
            return String(copying: try UTF8Span(validating: self))
        } catch {
            return ""
        }
    }

    /// Adds the bytes to a hash, eight at a time.
    func combine(into hasher: inout Hasher) {
        var word: UInt64 = 0
        for index in indices {
            word = word << 8 | UInt64(self[index])
            if index & 7 == 7 {
                hasher.combine(word)
                word = 0
            }
        }
        hasher.combine(word)
        hasher.combine(count)
    }
}
