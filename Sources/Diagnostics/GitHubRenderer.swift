internal import SystemKit

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
                "::\(diagnostic.severity.rawValue) file=\(WorkflowCommand.property(DisplayText.harmless(report.source.name)))"
            text += position(diagnostic.range)
            text += ",title=\(WorkflowCommand.property(diagnostic.code))::"
            text += WorkflowCommand.message(renderer.body(of: diagnostic).trimmingLastBreak)
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
}

extension String {
    /// The text without its final line feed.
    fileprivate var trimmingLastBreak: String {
        utf8.last == UInt8(ascii: "\n") ? String(unicodeScalars.dropLast()) : self
    }
}
