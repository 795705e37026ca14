/// The diagnostics of one file, in file order, and the text that they speak of.
package struct FileDiagnostics: Sendable {
    /// The text that the ranges are of, without what is confidential in it.
    package let source: SourceText
    /// Sorted by place; those of one place as they were made.
    package private(set) var diagnostics: [Diagnostic]

    /// Sorts diagnostics of one file.
    ///
    /// - Parameters:
    ///   - source: The text that they speak of.
    ///   - diagnostics: In any order.
    ///   - confidential: Stretches of the text that nobody may read, besides those of confidential
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

    /// Adds a note about no place to the last diagnostic.
    package mutating func append(note: String) {
        guard let last = diagnostics.indices.last else { return }
        diagnostics[last].notes.append(Diagnostic.Note(note))
    }

    /// Whether the file is refused.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
