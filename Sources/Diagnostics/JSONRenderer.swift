package import JSON

/// Writes diagnostics as JSON for programs.
package enum JSONRenderer {
    /// Writes one array with the diagnostics of all files: `code`, `severity`, `message`, `file`,
    /// `range`, `notes`, `fixIt`, `help`; missing values are null.
    package static func write(_ reports: [FileDiagnostics], to writer: inout JSONWriter) {
        writer.beginArray()
        for report in reports {
            for diagnostic in report.diagnostics {
                write(diagnostic, file: report.source.name, to: &writer)
            }
        }
        writer.endArray()
    }

    private static func write(
        _ diagnostic: Diagnostic,
        file: String,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("code", diagnostic.code)
        writer.member("severity", diagnostic.severity.rawValue)
        writer.member("message", diagnostic.message)
        writer.member("file", file)
        writer.key("range")
        write(diagnostic.range, to: &writer)
        writer.key("notes")
        writer.beginArray()
        for note in diagnostic.notes { write(note, to: &writer) }
        writer.endArray()
        writer.key("fixIt")
        write(diagnostic.fixIt, to: &writer)
        writer.key("help")
        write(diagnostic.help, to: &writer)
        writer.endObject()
    }

    private static func write(_ note: Diagnostic.Note, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("message", note.message)
        writer.key("range")
        write(note.range, to: &writer)
        writer.endObject()
    }

    private static func write(_ fixIt: Diagnostic.FixIt?, to writer: inout JSONWriter) {
        guard let fixIt else { return writer.null() }
        writer.beginObject()
        writer.key("range")
        write(fixIt.range, to: &writer)
        writer.member("replacement", fixIt.replacement)
        writer.endObject()
    }

    private static func write(_ text: String?, to writer: inout JSONWriter) {
        guard let text else { return writer.null() }
        writer.string(text)
    }

    private static func write(_ range: SourceRange?, to writer: inout JSONWriter) {
        guard let range else { return writer.null() }
        writer.beginObject()
        writer.key("start")
        write(range.start, to: &writer)
        writer.key("end")
        write(range.end, to: &writer)
        writer.endObject()
    }

    private static func write(_ position: SourcePosition, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("line", position.line)
        writer.member("column", position.column)
        writer.endObject()
    }
}
