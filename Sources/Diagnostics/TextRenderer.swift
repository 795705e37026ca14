/// Writes diagnostics as text: the position, the message, the source line with a caret, and the
/// help.
///
/// ```
/// jobs/nightly.yaml:14:5: error: unknown key `timeout` in session `orders` [job.unknown-key]
/// 14 |     timeout: 60s
///    |     ^~~~~~~
///    = help: did you mean `timeoutIntervalForRequest`?
/// ```
package struct TextRenderer {
    private let file: String
    private let snippets: SnippetRenderer
    private let style: TerminalStyle
    private let diagnostics: [Diagnostic]

    /// Prepares the text of `report`.
    ///
    /// The caller decides about colour; without it no escape sequence is written.
    package init(_ report: FileDiagnostics, usesColor: Bool = false) {
        file = DisplayText.harmless(report.source.name)
        style = TerminalStyle(isColored: usesColor)
        snippets = SnippetRenderer(report.source, hiding: report.hidden, style: style)
        diagnostics = report.diagnostics
    }

    /// The text of all diagnostics; every line ends with a line feed.
    package func render() -> String {
        var text = ""
        for diagnostic in diagnostics { append(diagnostic, to: &text) }
        return text
    }

    /// The text of one diagnostic from its message on, without position and severity.
    func body(of diagnostic: Diagnostic) -> String {
        var text = ""
        appendBody(diagnostic, to: &text)
        return text
    }

    private func append(_ diagnostic: Diagnostic, to text: inout String) {
        let severity = diagnostic.severity.rawValue
        let color: TerminalStyle.Color = diagnostic.severity == .error ? .red : .yellow
        text += style.bold("\(location(diagnostic.range)): ")
        text += style.bold("\(severity): ", color)
        appendBody(diagnostic, to: &text)
    }

    private func appendBody(_ diagnostic: Diagnostic, to text: inout String) {
        let places = [diagnostic.range] + diagnostic.notes.compactMap(\.range)
        let digits = places.map { String($0.start.line).utf8.count }.max() ?? 1
        text += style.bold(DisplayText.harmless(diagnostic.message))
        text += " [\(diagnostic.code)]\n"
        snippets.append(diagnostic.range, digits: digits, to: &text)
        if let help = diagnostic.help { append("help", help, digits: digits, to: &text) }
        for note in diagnostic.notes {
            guard let range = note.range else {
                append("note", note.message, digits: digits, to: &text)
                continue
            }
            text += style.bold("\(location(range)): ")
            text += style.bold("note: ", .cyan) + DisplayText.harmless(note.message) + "\n"
            snippets.append(range, digits: digits, to: &text)
        }
    }

    private func append(_ label: String, _ message: String, digits: Int, to text: inout String) {
        let margin = String(repeating: " ", count: digits + 1)
        text += margin + style.bold("= \(label): ", .cyan) + DisplayText.harmless(message) + "\n"
    }

    private func location(_ range: SourceRange) -> String {
        "\(file):\(range.start.line):\(range.start.column)"
    }
}
