/// The diagnostics of one file, in file order, and the text that they speak of.
package struct FileDiagnostics: Sendable {
    package let source: SourceText
    package let diagnostics: [Diagnostic]

    package init(source: SourceText, diagnostics: [Diagnostic]) {
        self.source = source
        self.diagnostics = diagnostics.inFileOrder
    }

    package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
