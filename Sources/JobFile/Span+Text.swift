internal import SystemKit

extension Span<UInt8> {
    /// Whether the bytes are one of three spellings.
    func isOne(of first: String, _ second: String, _ third: String) -> Bool {
        equals(first.utf8.span) || equals(second.utf8.span)
            || equals(third.utf8.span)
    }

    /// The bytes as text; empty when they are not UTF-8.
    var text: String {
        do {
            return String(copying: try UTF8Span(validating: self))
        } catch {
            return ""
        }
    }
}
