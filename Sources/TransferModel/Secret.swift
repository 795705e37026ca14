/// Finds the UTF-8 offset of a secret in a text, in any encoded form; nil if there is none.
package typealias SecretFinder = @Sendable (String) -> Int?

/// A secret text: it always prints as `‹redacted›`.
package struct Secret: Sendable, Hashable {
    /// The text shown instead of a secret.
    package static let mark = "‹redacted›"

    private let text: String

    /// Wraps a secret text; only `withText` hands it out again.
    package init(_ text: String) { self.text = text }

    /// Lends the text; the result must not be printed.
    package func withText<Result, Failure: Error>(
        _ body: (String) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(text)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `‹redacted›`.
    package var description: String { Self.mark }
    /// Always `‹redacted›`.
    package var debugDescription: String { Self.mark }
    /// A mirror without children, so that `dump` does not show the text.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
