/// Writes diagnostics as workflow commands of GitHub Actions, which shows them at the lines of the
/// file.
///
/// One line for each: `::error file=…,line=…,endLine=…,col=…,endColumn=…,title=code::` and the text
/// that ``TextRenderer`` has from the message on, its line breaks escaped.
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

    /// The lines, and the columns when both ends are on one: with two lines GitHub refuses columns.
    ///
    /// The last column belongs to the text; a point is shown at the character behind it.
    private static func position(_ range: SourceRange) -> String {
        let lines = ",line=\(range.start.line),endLine=\(range.end.line)"
        guard range.start.line == range.end.line else { return lines }
        let last = max(range.start.column, range.end.column - 1)
        return lines + ",col=\(range.start.column),endColumn=\(last)"
    }

    /// What would end the line or begin an escape, as the runner of GitHub reads it back.
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

    /// Within a property also what separates properties.
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
    /// The text without the line feed at its end.
    fileprivate var trimmingLastBreak: String {
        utf8.last == UInt8(ascii: "\n") ? String(unicodeScalars.dropLast()) : self
    }
}
