internal import SystemKit

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
    /// The advice to show when a part of `help` must be hidden: it quotes less of the file.
    package var generalHelp: String?
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
        generalHelp: String? = nil,
        fixIt: FixIt? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.range = range
        self.notes = notes
        self.help = help
        self.generalHelp = generalHelp
        self.fixIt = fixIt
    }
}

extension Diagnostic {
    /// The dots that a reader sees instead of a hidden text, however long that is.
    package static let dots = "•••"

    /// The diagnostic with each quoted text replaced: only text in backticks comes from a file.
    ///
    /// If a part of the edit is hidden, the edit is dropped. If a part of the advice is hidden, the
    /// general advice replaces it.
    ///
    /// - Parameters:
    ///   - shown: Gives the text to show for a quote of the message.
    ///   - elsewhere: Gives the text to show for a quote of the advice, of an edit or of a note.
    /// - Returns: The diagnostic as it is shown.
    package func mappingQuotes(
        _ shown: (String) -> String,
        elsewhere: (String) -> String
    ) -> Diagnostic {
        var diagnostic = self
        diagnostic.message = Self.mappingQuotes(of: message, shown)
        diagnostic.help = nil
        for case let help? in [help, generalHelp] where diagnostic.help == nil {
            let shown = Self.mappingQuotes(of: help, elsewhere)
            if !shown.containsBytes(Self.dots) { diagnostic.help = shown }
        }
        diagnostic.generalHelp = nil
        if let fixIt, elsewhere(fixIt.replacement) != fixIt.replacement { diagnostic.fixIt = nil }
        // The notes about rows name tasks and data files.
        for index in notes.indices where !isAboutData {
            diagnostic.notes[index].message = Self.mappingQuotes(
                of: notes[index].message,
                elsewhere
            )
        }
        return diagnostic
    }

    private static func mappingQuotes(of text: String, _ shown: (String) -> String) -> String {
        let parts = text.splitAtBytes("`", omittingEmpty: false)
        // An odd number of backticks means that one is from the file; then any part may be.
        let isWhole = parts.count % 2 == 0
        return parts.enumerated()
            .map { index, part in
                isWhole || index % 2 != 0 ? shown(String(part)) : String(part)
            }
            .joined(separator: "`")
    }
}

/// The diagnostics of one file in file order, and the file's text.
package struct FileDiagnostics: Sendable {
    /// The file's name and text, which the ranges refer to.
    package private(set) var source: SourceText
    /// The parts of the text that no format shows, each within a line.
    package let hidden: [SourceRange]
    /// Sorted by position; equal positions keep their order.
    package private(set) var diagnostics: [Diagnostic]

    /// Sorts diagnostics of one file.
    ///
    /// - Parameters:
    ///   - source: The file's text.
    ///   - diagnostics: In any order.
    ///   - hidden: The parts of the text that no format shows, each within a line.
    package init(
        source: SourceText,
        diagnostics: [Diagnostic],
        hidden: [SourceRange] = []
    ) {
        self.source = source
        self.diagnostics = diagnostics.inFileOrder
        self.hidden = hidden
    }

    /// Adds a note without a position to the last diagnostic.
    package mutating func append(note: String) {
        guard let last = diagnostics.indices.last else { return }
        diagnostics[last].notes.append(Diagnostic.Note(note))
    }

    /// The same diagnostics of the file under another name.
    package func renamed(_ name: String) -> FileDiagnostics {
        var report = self
        report.source = SourceText(name: name, bytes: source.bytes, firstLine: source.firstLine)
        return report
    }

    /// Whether the file is rejected.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

extension Array<Diagnostic> {
    /// Sorted by position; equal positions keep their order.
    package var inFileOrder: [Diagnostic] {
        guard count > 1 else { return self }
        return enumerated()
            .sorted { ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset) }
            .map(\.element)
    }
}
