/// The diagnostics of one file in file order, and the file's text.
package struct FileDiagnostics: Sendable {
    /// The text of the ranges.
    package let source: SourceText
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

    /// Whether the file is rejected.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
