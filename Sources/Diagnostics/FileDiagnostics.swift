/// The diagnostics of one file in file order, and the file's text.
package struct FileDiagnostics: Sendable {
    /// The text of the ranges, without its confidential parts.
    package let source: SourceText
    /// Sorted by position; equal positions keep their order.
    package private(set) var diagnostics: [Diagnostic]

    /// Sorts diagnostics of one file.
    ///
    /// - Parameters:
    ///   - source: The file's text.
    ///   - diagnostics: In any order.
    ///   - confidential: Confidential ranges of the text, besides those of confidential
    ///     diagnostics.
    package init(
        source: SourceText,
        diagnostics: [Diagnostic],
        confidential: [SourceRange] = []
    ) {
        let ranges = diagnostics.filter(\.isConfidential).map(\.range)
        self.source = source.masked(ranges + confidential)
        self.diagnostics = diagnostics.inFileOrder
    }

    /// Adds a note without a position to the last diagnostic.
    package mutating func append(note: String) {
        guard let last = diagnostics.indices.last else { return }
        diagnostics[last].notes.append(Diagnostic.Note(note))
    }

    /// Whether the file is rejected.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
