/// Writes diagnostics as workflow commands of GitHub Actions, which shows them in the file.
///
/// One line each: `::error file=…,line=…,endLine=…,col=…,endColumn=…,title=code::` and the text of
/// ``TextRenderer`` from the message on, with escaped line breaks.
package enum GitHubRenderer {
    /// The commands of one file; every line ends with a line feed.
    package static func render(_ report: FileDiagnostics) -> String {
        let renderer = TextRenderer(report)
        var text = ""
        for diagnostic in report.diagnostics {
            text +=
                "::\(diagnostic.severity.rawValue) file=\(escapedProperty(DisplayText.harmless(report.source.name)))"
            text += position(diagnostic.range)
            text += ",title=\(escapedProperty(diagnostic.code))::"
            text += escapedMessage(renderer.body(of: diagnostic).trimmingLastBreak)
            text += "\n"
        }
        return text
    }

    /// The lines, and the columns if the range is on one line: otherwise GitHub rejects columns.
    ///
    /// The last column is inside the range; an empty range is shown at the next character.
    private static func position(_ range: SourceRange) -> String {
        let lines = ",line=\(range.start.line),endLine=\(range.end.line)"
        guard range.start.line == range.end.line else { return lines }
        let last = max(range.start.column, range.end.column - 1)
        return lines + ",col=\(range.start.column),endColumn=\(last)"
    }

    /// Escapes the characters that end the line or begin an escape for GitHub's runner.
    private static func escapedMessage(_ text: String) -> String {
        escaped(text) { scalar in
            switch scalar {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            default: nil
            }
        }
    }

    /// Also escapes the separators of properties.
    private static func escapedProperty(_ text: String) -> String {
        escaped(text) { scalar in
            switch scalar {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            case ":": "%3A"
            case ",": "%2C"
            default: nil
            }
        }
    }

    private static func escaped(
        _ text: String,
        _ escape: (Unicode.Scalar) -> String?
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let escaped = escape(scalar) {
                result.append(contentsOf: escaped.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}

extension String {
    /// The text without its final line feed.
    fileprivate var trimmingLastBreak: String {
        utf8.last == UInt8(ascii: "\n") ? String(unicodeScalars.dropLast()) : self
    }
}
