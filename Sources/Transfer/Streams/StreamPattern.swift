internal import SystemKit
internal import RegexKit
internal import TransferModel

/// A compiled pattern of a stream's step.
///
/// A class, because compiled patterns cannot be copied.
final class StreamPattern {
    let text: String
    private let expression: RegularExpression

    /// A search holds the thread of its engine, so it is short.
    private static let longestSearchNanoseconds: Int64 = 100_000_000

    /// Compiles a pattern.
    init(_ text: String) throws(StreamFault) {
        self.text = text
        do throws(RegularExpression.Fault) {
            expression = try RegularExpression(text)
        } catch {
            switch error {
            case .syntax(let message, _), .unavailable(let message):
                throw .content("`\(TextExcerpt.of(text))` was not searched for: \(message)")
            }
        }
    }

    /// Whether the pattern matches anywhere.
    func matches(_ bytes: Span<UInt8>) throws(StreamFault) -> Bool {
        switch expression.search(bytes, withinNanoseconds: Self.longestSearchNanoseconds) {
        case .found: return true
        case .notFound: return false
        case .gaveUp:
            throw .content(
                "`\(TextExcerpt.of(text))` was not found within the limits of a search"
            )
        }
    }
}
