/// The diagnostics of one file, in file order, and the text that they speak of.
package struct FileDiagnostics: Sendable {
    /// The text that the ranges are of.
    package let source: SourceText
    /// Sorted by place; those of one place as they were made.
    package let diagnostics: [Diagnostic]

    /// Sorts diagnostics of one file.
    package init(source: SourceText, diagnostics: [Diagnostic]) {
        self.source = source
        self.diagnostics = diagnostics.inFileOrder
    }

    /// Whether the file is refused.
    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
