/// One fault of a job file, at its place.
///
/// A value, never thrown singly: checks collect them all. Messages start in lower case, name keys
/// in backticks and end without a full stop.
package struct Diagnostic: Sendable, Hashable {
    /// Whether the file can be used in spite of it.
    package enum Severity: String, Sendable, Hashable, CaseIterable {
        case error
        case warning
    }

    /// A second place that helps to understand the first.
    package struct Note: Sendable, Hashable {
        /// What is to be seen there, in the form of a diagnostic's message.
        package var message: String
        /// Where; nil when the note is about no place.
        package var range: SourceRange?

        /// A note, at a place if it has one.
        package init(_ message: String, at range: SourceRange? = nil) {
            self.message = message
            self.range = range
        }
    }

    /// An edit that would mend the fault.
    package struct FixIt: Sendable, Hashable {
        /// What is replaced; a point when only something is put in.
        package var range: SourceRange
        /// The text that takes its place.
        package var replacement: String

        /// An edit of one place.
        package init(range: SourceRange, replacement: String) {
            self.range = range
            self.replacement = replacement
        }
    }

    /// Errors refuse the file, warnings do not.
    package var severity: Severity
    /// Stable and documented, such as `job.unknown-key`.
    package var code: String
    /// One sentence as the type's description says; text of the file in it is an excerpt.
    package var message: String
    /// The text at fault.
    package var range: SourceRange
    /// Other places that help to understand it, in the order in which they are shown.
    package var notes: [Note]
    /// What to do, as one line without a full stop: shown after `= help:`.
    package var help: String?
    /// The edit that mends it, when there is just one.
    package var fixIt: FixIt?
    /// Whether the text at fault is nobody's to read: where its line is shown, stars stand for it.
    package var isConfidential = false

    /// A fault at a place; an error unless said otherwise.
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
