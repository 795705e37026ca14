package import JSON

/// Writes diagnostics as a report of GitLab's Code Quality: an array that GitLab shows in merge
/// requests (https://docs.gitlab.com/ci/testing/code_quality/).
package enum GitLabRenderer {
    /// Writes one array with the diagnostics of all files.
    ///
    /// - Parameters:
    ///   - reports: The reports, in the order of the elements.
    ///   - writer: Receives one array.
    package static func write(_ reports: [FileDiagnostics], to writer: inout JSONWriter) {
        var known: [String: Int] = [:]
        writer.beginArray()
        for report in reports {
            for diagnostic in report.diagnostics {
                write(diagnostic, of: report.source.name, &known, to: &writer)
            }
        }
        writer.endArray()
    }

    private static func write(
        _ diagnostic: Diagnostic,
        of path: String,
        _ known: inout [String: Int],
        to writer: inout JSONWriter
    ) {
        var text = diagnostic.message
        if let help = diagnostic.help { text += " (\(help))" }
        // Without the line, so that a fault stays the same one when lines above it change.
        let identity = "\(path)\n\(diagnostic.code)\n\(diagnostic.message)"
        let count = known[identity, default: 0]
        known[identity] = count + 1
        writer.beginObject()
        writer.member("description", text)
        writer.member("check_name", diagnostic.code)
        writer.member("fingerprint", fingerprint(of: "\(identity)\n\(count)"))
        writer.member("severity", severity(of: diagnostic))
        writer.key("location")
        writer.beginObject()
        writer.member("path", path)
        writer.key("lines")
        writer.beginObject()
        writer.member("begin", diagnostic.range.start.line)
        writer.endObject()
        writer.endObject()
        writer.endObject()
    }

    private static func severity(of diagnostic: Diagnostic) -> String {
        switch diagnostic.severity {
        case .error: "critical"
        case .warning: "minor"
        }
    }

    /// 128 bits of FNV-1a in hexadecimal digits: equal for the same fault in two runs.
    private static func fingerprint(of text: String) -> String {
        let starts: [UInt64] = [0xCBF2_9CE4_8422_2325, 0x9AE1_6A3B_2F90_404F]
        return starts.map { start in
            let hash = text.utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
            let digits = String(hash, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
