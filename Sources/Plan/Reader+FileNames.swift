internal import Diagnostics
internal import JobFile
internal import SystemKit

// Warnings for a body that is the name of a file where the file was probably meant.
extension Reader {
    /// The text of a body or a part, any scalar but null; warns of `@name` in the manner of curl.
    mutating func bodyText(_ field: Field, isPart: Bool = false) -> String? {
        guard let scalar = sentScalar(field, as: .body) else { return nil }
        if scalar.text.utf8.first == UInt8(ascii: "@"), mayName(scalar),
            isFile(scalar.text.dropFirst())
        {
            warnOfFileName(field, hasMark: true, isPart: isPart)
        }
        return text(of: scalar, field)
    }

    /// Warns of a JSON body that is one string, if the string ends as the name of a JSON file or
    /// names any file.
    mutating func warnOfFileName(inJSON scalar: ScalarValue, _ field: Field) {
        guard case .string = scalar.type, mayName(scalar) else { return }
        let hasMark = scalar.text.utf8.first == UInt8(ascii: "@")
        let name = scalar.text.dropFirst(hasMark ? 1 : 0)
        guard FileMediaType.of(String(name)) == "application/json" || isFile(name) else { return }
        warnOfFileName(field, hasMark: hasMark, isPart: false)
    }

    /// Whether a value can be the name of a file that somebody wants to hear of.
    private func mayName(_ scalar: ScalarValue) -> Bool {
        faults.log.takesWarnings && scalar.secrets.isEmpty && !scalar.isKnownLater
            && scalar.text.utf8.count <= AbsolutePath.longest
            && !scalar.text.utf8.span.hasControlByte && !scalar.text.contains("://")
    }

    private func isFile(_ name: Substring) -> Bool {
        guard let fileStatus, !name.isEmpty else { return false }
        return fileStatus(AbsolutePath.make(String(name), in: folder)) == .readable
    }

    /// Warns once for all items of a `forEach`: the words are those of the job file.
    ///
    /// - Parameters:
    ///   - field: The body.
    ///   - hasMark: Whether an `@` stands in front of the name.
    ///   - isPart: Whether the key of the field is the name of a part, and not the kind of its
    ///     content.
    private mutating func warnOfFileName(_ field: Field, hasMark: Bool, isPart: Bool) {
        let written = document.text(of: field.node)
        let file = String(hasMark && written.hasPrefix("@") ? written.dropFirst() : written[...])
        let entry = "file: \(file.excerpt)"
        faults.log.add(
            Diagnostic(
                .warning,
                .fileNameAsBody,
                "`\(field.name)`: the text `\(written.excerpt)` itself is sent, not the file of that name",
                at: document.range(of: field.node),
                help: "write `\(isPart ? "{ \(entry) }" : entry)` to send the file",
                fixIt: isPart || hasMark
                    ? nil : .init(range: document.range(of: field.key), replacement: "file")
            )
        )
    }
}
