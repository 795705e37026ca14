internal import JSON
internal import RegexKit
internal import SystemKit
internal import TransferModel

extension StreamReading {
    /// Checks the bytes of the step against its expectation; returns the captured values.
    func judge(_ bytes: [UInt8]) throws(TransferFailure) -> [CapturedValue] {
        if let text, !text.utf8.elementsEqual(bytes) {
            throw .ofContent(
                "got “\(TextExcerpt.of(bytes))” instead of “\(TextExcerpt.of(text))”"
            )
        }
        if let pattern, try !StreamPattern(pattern).matches(bytes.span) {
            throw .ofContent(
                "got “\(TextExcerpt.of(bytes))”, which `\(TextExcerpt.of(pattern))` does not match"
            )
        }
        let document = captures.needJSON ? try? JSONValue(bytes: bytes) : nil
        let head = ResponseHead(statusCode: 200)
        do throws(Capture.Absence) {
            return try captures.values(head, document, bytes)
        } catch {
            let (capture, miss) = (error.capture, error.miss)
            throw .ofContent(
                "the capture `\(capture.name)` (\(capture.place)) is \(miss.actual) instead of "
                    + miss.expected
            )
        }
    }
}

/// A compiled pattern of a stream's step.
///
/// A class, because compiled patterns cannot be copied.
final class StreamPattern {
    let text: String
    private let expression: RegularExpression

    /// A search holds the thread of its engine, so it is short.
    static let longestSearchNanoseconds: Int64 = 100_000_000

    /// Compiles a pattern.
    init(_ text: String) throws(TransferFailure) {
        self.text = text
        do throws(RegularExpression.Fault) {
            expression = try RegularExpression(text)
        } catch {
            switch error {
            case .syntax(let message, _), .unavailable(let message):
                throw .ofContent("`\(TextExcerpt.of(text))` was not searched for: \(message)")
            }
        }
    }

    /// Whether the pattern matches anywhere.
    func matches(_ bytes: Span<UInt8>) throws(TransferFailure) -> Bool {
        switch expression.search(bytes, withinNanoseconds: Self.longestSearchNanoseconds) {
        case .found: return true
        case .notFound: return false
        case .gaveUp:
            throw .ofContent(
                "`\(TextExcerpt.of(text))` was not found within the limits of a search"
            )
        }
    }
}
