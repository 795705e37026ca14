/// One fault of a job file, at its place.
///
/// A value, never thrown singly: checks collect them all. Messages start in lower case, name keys in backticks and
/// end without a full stop.
package struct Diagnostic: Sendable, Hashable {
    package enum Severity: String, Sendable, Hashable, CaseIterable {
        case error
        case warning
    }

    /// A second place that helps to understand the first.
    package struct Note: Sendable, Hashable {
        package var message: String
        package var range: SourceRange?

        package init(_ message: String, at range: SourceRange? = nil) {
            self.message = message
            self.range = range
        }
    }

    /// An edit that would mend the fault.
    package struct FixIt: Sendable, Hashable {
        package var range: SourceRange
        package var replacement: String

        package init(range: SourceRange, replacement: String) {
            self.range = range
            self.replacement = replacement
        }
    }

    package var severity: Severity
    /// Stable and documented, such as `job.unknown-key`.
    package var code: String
    package var message: String
    package var range: SourceRange
    package var notes: [Note]
    /// What to do, as one line without a full stop: shown after `= help:`.
    package var help: String?
    package var fixIt: FixIt?

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
