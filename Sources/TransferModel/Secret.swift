/// Where a secret begins in a text, in whatever form it stands there, an offset in UTF-8; nil when
/// it is not there.
package typealias SecretFinder = @Sendable (String) -> Int?

/// A text that nobody may see: it prints as `‹redacted›`, however it is printed.
package struct Secret: Sendable, Hashable {
    /// What is shown in its place.
    package static let mark = "‹redacted›"

    private let text: String

    package init(_ text: String) { self.text = text }

    /// Lends the text; what is made of it must not be printed.
    package func withText<Result, Failure: Error>(
        _ body: (String) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(text)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Self.mark }
    package var debugDescription: String { Self.mark }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
