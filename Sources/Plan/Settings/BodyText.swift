internal import Diagnostics
internal import JSON
internal import JobFile
internal import SystemKit

/// Texts of bodies, and warnings of a text that probably names the file to send.
enum BodyText {
    /// The text of a body or a part, any scalar but null; warns of `@name` and of `name;type=…` in
    /// the manner of curl.
    static func bodyText(_ field: Field, isPart: Bool = false, _ reader: inout Reader) -> String? {
        guard let scalar = reader.sentScalar(field, as: .body) else { return nil }
        guard reader.faults.log.takesWarnings, mayName(scalar, &reader) else {
            return reader.text(of: scalar, field)
        }
        if isPart, let form = FormArgument(reader.document.text(of: field.node)) {
            warnOfFormArgument(form, field, &reader)
        } else if scalar.text.utf8.first == UInt8(ascii: "@") {
            let name = scalar.text.dropFirst()
            if isFile(name, &reader) || FileMediaType.of(String(name)) != FileMediaType.unknown {
                warnOfFileName(field, hasMark: true, isPart: isPart, &reader)
            }
        }
        return reader.text(of: scalar, field)
    }

    private static func warnOfFormArgument(
        _ form: FormArgument,
        _ field: Field,
        _ reader: inout Reader
    ) {
        let isName = form.isFile || isFile(form.value[...], &reader)
        let entries = [(isName ? "file" : "text", form.value)] + form.settings
        let general = "write `{ \(entries.map { "\($0.0): …" }.joined(separator: ", ")) }`"
        reader.faults.log.add(
            Diagnostic(
                .warning,
                .fileNameAsBody,
                "`\(field.name)`: the part is the text `\(form.text.excerpt)` with all after its `;`",
                at: reader.document.range(of: field.node),
                help: "write `{ \(entries.map { "\($0.0): \($0.1)" }.joined(separator: ", ")) }`",
                generalHelp: general
            )
        )
    }

    /// Warns of a JSON body that is one string, if the string is an object or array of JSON, ends
    /// as the name of a JSON file or names any file.
    static func warnOfString(inJSON scalar: ScalarValue, _ field: Field, _ reader: inout Reader) {
        guard case .string = scalar.type, reader.faults.log.takesWarnings else { return }
        if isCollection(scalar.text) { return warnOfQuotes(field, &reader) }
        guard mayName(scalar, &reader) else { return }
        let hasMark = scalar.text.utf8.first == UInt8(ascii: "@")
        let name = scalar.text.dropFirst(hasMark ? 1 : 0)
        guard FileMediaType.of(String(name)) == "application/json" || isFile(name, &reader) else {
            return
        }
        warnOfFileName(field, hasMark: hasMark, isPart: false, &reader)
    }

    /// Whether a text is an object or array of JSON.
    private static func isCollection(_ text: String) -> Bool {
        guard let first = text.utf8.first(where: { $0 != 32 }), "{[".utf8.contains(first) else {
            return false
        }
        return (try? JSONValue(text)) != nil
    }

    private static func warnOfQuotes(_ field: Field, _ reader: inout Reader) {
        let range = reader.document.range(of: field.node)
        let written = reader.document.text(of: field.node)
        let isFilledIn = reader.document.hasInterpolation(field.node)
        reader.faults.log.warn(
            .quotedJSON,
            "`\(field.name)`: the body is one string that contains JSON, not the object or array "
                + "itself",
            at: range,
            help: isFilledIn
                ? "write the mapping or list in YAML, with quotes around each `\"${…}\"`"
                : "remove the quotes: objects and arrays of JSON are YAML, too",
            fixIt: isFilledIn || written.utf8.contains(10)
                ? nil : .init(range: range, replacement: written)
        )
    }

    /// Whether a value looks like a file name, so that a warning is useful.
    private static func mayName(_ scalar: ScalarValue, _ reader: inout Reader) -> Bool {
        scalar.secrets.isEmpty && !scalar.isKnownLater
            && scalar.text.utf8.count <= AbsolutePath.longest
            && !scalar.text.utf8.span.hasControlByte && !scalar.text.containsBytes("://")
    }

    private static func isFile(_ name: Substring, _ reader: inout Reader) -> Bool {
        guard let fileStatus = reader.fileStatus, !name.isEmpty else { return false }
        return fileStatus(AbsolutePath.make(String(name), in: reader.folder)) == .readable
    }

    /// Warns once for all items of a `forEach`: the words are those of the job file.
    ///
    /// - Parameters:
    ///   - field: The body.
    ///   - hasMark: Whether an `@` precedes the name.
    ///   - isPart: Whether the key of the field is the name of a part, and not the kind of its
    ///     content.
    ///   - reader: Gets the warning.
    private static func warnOfFileName(
        _ field: Field,
        hasMark: Bool,
        isPart: Bool,
        _ reader: inout Reader
    ) {
        let written = reader.document.text(of: field.node)
        let file = String((hasMark ? written.withoutBytePrefix("@") : nil) ?? written[...])
        let entry = "file: \(file.excerpt)"
        reader.faults.log.add(
            Diagnostic(
                .warning,
                .fileNameAsBody,
                "`\(field.name)`: the text `\(written.excerpt)` itself is the body, not the file of "
                    + "that name",
                at: reader.document.range(of: field.node),
                help: "write `\(isPart ? "{ \(entry) }" : entry)` to send the file",
                generalHelp: "write `\(isPart ? "{ file: … }" : "file: …")` to send the file",
                fixIt: isPart || hasMark
                    ? nil : .init(range: reader.document.range(of: field.key), replacement: "file")
            )
        )
    }
}
