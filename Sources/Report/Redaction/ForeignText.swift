internal import SystemKit
internal import TransferModel

/// Takes out of foreign text what nobody may see, and makes it fit to be shown, in the one order
/// that works.
///
/// Secrets are found in a text as it is: one that was made printable, put into small pieces or cut
/// first may hold a secret in a form that nobody looks for.
package struct ForeignText: Sendable {
    /// Nil in a run without secrets.
    var redactor: Redactor?

    /// Nil for `redactor`: there are no secrets.
    package init(redactor: Redactor? = nil) { self.redactor = redactor }

    /// The text without secrets and without user information of URLs, cut after `maximumBytes`
    /// bytes.
    ///
    /// - Parameters:
    ///   - text: As it came.
    ///   - maximumBytes: How much of it is kept.
    ///   - isReference: Whether the text is one URL, perhaps a relative one.
    /// - Returns: Text that may be shown to people, if it is made harmless.
    package func open(_ text: String, maximumBytes: Int = .max, _ isReference: Bool = false)
        -> String
    {
        let redacted = redactor?.redacted(text) ?? text
        let reference = isReference ? Redaction.reference(redacted) : redacted
        return Redaction.text(reference, maximumBytes: maximumBytes)
    }

    /// UTF-8 text with a star for each character of a secret and of user information, so that
    /// places in it stay where they are.
    package func masked(_ text: [UInt8]) -> [UInt8] {
        var text = redactor?.masked(text) ?? text
        var position = 0
        while let login = UserInformation.first(in: text.span, from: position) {
            let stars = text[login].filter { $0 & 0xC0 != 0x80 }.count
            text.replaceSubrange(login, with: repeatElement(UInt8(ascii: "*"), count: stars))
            position = login.lowerBound + stars
        }
        return text
    }

    /// The same as one harmless line of at most `columns` cells.
    package func line(_ text: String, maximumBytes: Int = .max, columns: Int = .max) -> String {
        let line = TerminalText.harmless(open(text, maximumBytes: maximumBytes))
        return columns == .max ? line : TerminalText.truncated(line, columns: columns)
    }
}
