package import JSON
internal import SystemKit

/// Writes diagnostics as a log of SARIF 2.1.0, the exchange format of static analysis (OASIS,
/// errata 01).
///
/// One run with a rule for each code. Regions count like ranges: from 1, in Unicode scalars, with
/// an exclusive end (§3.30.8).
package struct SARIFRenderer {
    /// The codes in order of first occurrence, and their indices in the list of rules.
    private var codes: [String] = []
    private var indices: [String: Int] = [:]
    private let reports: [FileDiagnostics]

    private static let schema =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

    /// The page of the manual with the codes, as a URI (§3.49.12).
    ///
    /// The manual has no address on the web, so this is the installed page, as systemd and help
    /// viewers write it.
    private static let manual = "man:runner-job(5)"

    /// The line ends, so that readers count lines like ``SourceText`` (§3.14.17).
    private static let lineBreaks = ["\r\n", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]

    private init(_ reports: [FileDiagnostics]) {
        self.reports = reports
        for report in reports {
            for diagnostic in report.diagnostics where indices[diagnostic.code] == nil {
                indices[diagnostic.code] = codes.count
                codes.append(diagnostic.code)
            }
        }
    }

    /// Writes one log with the diagnostics of all files.
    ///
    /// - Parameters:
    ///   - reports: The reports, in the order of the results.
    ///   - version: The program's semantic version.
    ///   - writer: Receives one object.
    package static func write(
        _ reports: [FileDiagnostics],
        version: String,
        to writer: inout JSONWriter
    ) {
        let renderer = SARIFRenderer(reports)
        writer.object { writer in
            writer.member("$schema", schema)
            writer.member("version", "2.1.0")
            writer.array("runs") { writer in
                writer.object { renderer.writeRun(version: version, to: &$0) }
            }
        }
    }

    private func writeRun(version: String, to writer: inout JSONWriter) {
        writer.object("tool") { writer in
            writer.object("driver") { writer in
                writer.member("name", "runner")
                writer.member("semanticVersion", version)
                writer.array("rules") { writer in
                    for code in codes { writer.object { Self.writeRule(code, to: &$0) } }
                }
            }
        }
        writer.member("columnKind", "unicodeCodePoints")
        writer.array("newlineSequences") { writer in
            for sequence in Self.lineBreaks { writer.string(sequence) }
        }
        writer.array("artifacts") { writer in
            // Without duplicates (§3.14.15): several reports may concern one file.
            var known: Set<String> = []
            for report in reports where known.insert(report.source.name).inserted {
                writer.object { writer in
                    Self.writeLocation("location", of: report.source.name, to: &writer)
                }
            }
        }
        writer.array("results") { writer in
            for report in reports {
                for diagnostic in report.diagnostics {
                    writer.object { write(diagnostic, of: report.source.name, to: &$0) }
                }
            }
        }
    }

    private static func writeRule(_ code: String, to writer: inout JSONWriter) {
        writer.member("id", code)
        let lines = CodeMeanings.lines.splitAtBytes("\n")
        guard let meaning = lines.lazy.compactMap({ $0.withoutBytePrefix("\(code) ") }).first
        else { return }
        writer.object("shortDescription") { $0.member("text", String(meaning)) }
        writer.member("helpUri", "\(manual)#\(code)")
    }

    private func write(_ diagnostic: Diagnostic, of file: String, to writer: inout JSONWriter) {
        writer.member("ruleId", diagnostic.code)
        if let index = indices[diagnostic.code] { writer.member("ruleIndex", index) }
        writer.member("level", diagnostic.severity.rawValue)
        Self.writeMessage(Self.text(of: diagnostic), to: &writer)
        writer.array("locations") { writer in
            writer.object { Self.writePlace(diagnostic.range, of: file, to: &$0) }
        }
        let places = diagnostic.notes.compactMap { note in note.range.map { (note.message, $0) } }
        if !places.isEmpty {
            writer.array("relatedLocations") { writer in
                for (number, (message, range)) in places.enumerated() {
                    writer.object { writer in
                        writer.member("id", number + 1)
                        Self.writePlace(range, of: file, to: &writer)
                        Self.writeMessage(message, to: &writer)
                    }
                }
            }
        }
        if let fixIt = diagnostic.fixIt {
            writer.array("fixes") { writer in
                writer.object { Self.write(fixIt, of: file, to: &$0) }
            }
        }
    }

    /// The message, the help and the notes without a position, each on its own line.
    private static func text(of diagnostic: Diagnostic) -> String {
        var text = diagnostic.message
        if let help = diagnostic.help { text += "\nhelp: \(help)" }
        for note in diagnostic.notes where note.range == nil { text += "\nnote: \(note.message)" }
        return text
    }

    private static func write(
        _ fixIt: Diagnostic.FixIt,
        of file: String,
        to writer: inout JSONWriter
    ) {
        writer.object("description") { writer in
            writer.member("text", "write `\(fixIt.replacement.excerpt)`")
        }
        writer.array("artifactChanges") { writer in
            writer.object { writer in
                writeLocation("artifactLocation", of: file, to: &writer)
                writer.array("replacements") { writer in
                    writer.object { writer in
                        writeRegion("deletedRegion", fixIt.range, to: &writer)
                        writer.object("insertedContent") { $0.member("text", fixIt.replacement) }
                    }
                }
            }
        }
    }

    private static func writePlace(
        _ range: SourceRange,
        of file: String,
        to writer: inout JSONWriter
    ) {
        writer.object("physicalLocation") { writer in
            writeLocation("artifactLocation", of: file, to: &writer)
            writeRegion("region", range, to: &writer)
        }
    }

    private static func writeRegion(
        _ key: String,
        _ range: SourceRange,
        to writer: inout JSONWriter
    ) {
        writer.object(key) { writer in
            writer.member("startLine", range.start.line)
            writer.member("startColumn", range.start.column)
            writer.member("endLine", range.end.line)
            writer.member("endColumn", range.end.column)
        }
    }

    private static func writeMessage(_ text: String, to writer: inout JSONWriter) {
        writer.object("message") { $0.member("text", text) }
    }

    private static func writeLocation(
        _ key: String,
        of file: String,
        to writer: inout JSONWriter
    ) {
        writer.object(key) { $0.member("uri", reference(to: file)) }
    }

    /// A path as a URI reference (RFC 3986): `file:` for absolute paths, relative for others, with
    /// escapes.
    private static func reference(to path: String) -> String {
        var text = path.utf8.first == UInt8(ascii: "/") ? "file://" : ""
        // A colon in the first segment would look like a scheme (§4.2).
        let first = path.splitAtBytes("/", maxSplits: 1).first
        if text.isEmpty, first?.containsBytes(":") == true { text = "./" }
        for byte in path.utf8 {
            if byte.isUnreserved || "/:@+,=".utf8.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + byte.padded(to: 2, radix: 16, uppercase: true)
            }
        }
        return text
    }
}
