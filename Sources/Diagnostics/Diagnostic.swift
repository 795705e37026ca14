/// One fault in a job file and its position.
///
/// It is a value and never thrown singly: checks collect all faults. Messages start in lower case,
/// name keys in backticks and end without a full stop.
package struct Diagnostic: Sendable, Hashable {
    /// Whether the file is usable despite the fault.
    package enum Severity: String, Sendable, Hashable, CaseIterable {
        case error
        case warning
    }

    /// A second position that helps to understand the first.
    package struct Note: Sendable, Hashable {
        /// The note's text, in the style of a diagnostic's message.
        package var message: String
        /// The position; nil for a note without one.
        package var range: SourceRange?

        /// A note, optionally with a position.
        package init(_ message: String, at range: SourceRange? = nil) {
            self.message = message
            self.range = range
        }
    }

    /// An edit that would fix the fault.
    package struct FixIt: Sendable, Hashable {
        /// The replaced range; empty for an insertion.
        package var range: SourceRange
        /// The replacement text.
        package var replacement: String

        /// An edit of one range.
        package init(range: SourceRange, replacement: String) {
            self.range = range
            self.replacement = replacement
        }
    }

    /// Errors reject the file; warnings do not.
    package var severity: Severity
    /// Stable and documented, such as `job.unknown-key`.
    package var code: String
    /// One sentence, as the type's description says; text from the file appears as an excerpt.
    package var message: String
    /// The faulty text.
    package var range: SourceRange
    /// Other positions that explain the fault, in display order.
    package var notes: [Note]
    /// The advice on one line without a full stop, shown after `= help:`.
    package var help: String?
    /// The edit that fixes the fault, if there is exactly one.
    package var fixIt: FixIt?
    /// Whether the message may quote text that is not in the file, such as values of rows.
    package var isAboutData = false

    /// A fault at a position; an error by default.
    package init(
        _ severity: Severity = .error,
        code: String,
        _ message: String,
        at range: SourceRange,
        notes: [Note] = [],
        help: String? = nil,
        fixIt: FixIt? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.range = range
        self.notes = notes
        self.help = help
        self.fixIt = fixIt
    }
}
