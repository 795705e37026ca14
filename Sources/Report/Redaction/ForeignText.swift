internal import SystemKit
internal import TransferModel

/// Removes secrets from foreign text and makes it displayable, in the only order that works.
///
/// Secrets are found in the original text: escaping, splitting or cutting it first could leave a
/// secret in a form that is not searched for.
package struct ForeignText: Sendable {
    /// Nil in a run without secrets.
    var redactor: Redactor?

    /// Whether lines have escapes for all scalars beyond ASCII.
    var isASCII = false

    /// A nil `redactor` means no secrets.
    package init(redactor: Redactor? = nil) { self.redactor = redactor }

    /// The end of a text that is cut to fit a width.
    var cutMark: Character { isASCII ? "~" : "…" }

    /// The text without secrets and user information in URLs, cut after `maximumBytes` bytes.
    ///
    /// - Parameters:
    ///   - text: The original text.
    ///   - maximumBytes: The most bytes to keep.
    ///   - isReference: Whether the text is a single URL, perhaps a relative one.
    /// - Returns: Text that may be shown once it is made harmless.
    package func open(_ text: String, maximumBytes: Int = .max, _ isReference: Bool = false)
        -> String
    {
        let redacted = redactor?.redacted(text) ?? text
        let reference = isReference ? Redaction.reference(redacted) : redacted
        return Redaction.text(reference, maximumBytes: maximumBytes)
    }

    /// UTF-8 text with a star for each character of a secret or of user information, so that
    /// positions stay the same.
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

    /// The open text as one harmless line of at most `columns` cells.
    package func line(_ text: String, maximumBytes: Int = .max, columns: Int = .max) -> String {
        var line = TerminalText.harmless(open(text, maximumBytes: maximumBytes))
        if isASCII { line = TerminalText.ascii(line) }
        guard columns < .max else { return line }
        return TerminalText.truncated(line, columns: columns, mark: cutMark)
    }
}
