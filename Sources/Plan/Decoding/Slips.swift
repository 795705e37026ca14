internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Warnings of valid settings that the author probably did not mean.
enum Slips {
    /// The most placeholders of one value that are reported: enough to fix the value at once.
    private static let shownPlaceholders = 8

    /// Warns of placeholders of other tools, which are plain text in this language.
    ///
    /// - Parameters:
    ///   - field: The field of a scalar; other fields are skipped.
    ///   - isBody: Whether the text is meant for the receiver, so that only a pair of braces around
    ///     a name of the job is no accident.
    ///   - isURL: Whether a placeholder with a blank, or with braces in the host, is an error.
    ///   - reader: Gets the warnings.
    static func warnOfPlaceholders(
        in field: Field,
        isBody: Bool = false,
        isURL: Bool = false,
        _ reader: inout Reader
    ) {
        guard reader.faults.log.takesWarnings, reader.document.kind(of: field.node) == .scalar,
            reader.document.withBytes(of: field.node, Self.mayHavePlaceholder)
        else { return }
        let text = reader.document.text(of: field.node)
        let known = reader.values.variables.states
        let isKnown = { (name: String) in known[name] != nil }
        var start = 0
        for _ in 0..<Self.shownPlaceholders {
            guard let found = Placeholder.first(in: text, from: start, isKnown: isKnown) else {
                return
            }
            start = found.range.upperBound
            if isBody, !found.isBraced { continue }
            let declared =
                isKnown(found.name)
                ? found.likely(isKnown: isKnown)
                : reader.values.expression(for: found.name, &reader.faults)
            if isBody, declared == nil { continue }
            let isFault = isURL && !found.mayBeInURL(text)
            let likely = declared ?? found.likely(isKnown: isKnown)
            report(found, isFault ? .error : .warning, likely, text, field, &reader)
        }
    }

    /// Warns of a key that looks like a template: keys are sent as written.
    static func warnOfExpression(inKeyOf field: Field, _ reader: inout Reader) {
        guard reader.faults.log.takesWarnings,
            reader.document.withBytes(of: field.key, Self.mayHavePlaceholder)
        else { return }
        let text = reader.document.text(of: field.key)
        let isBraced =
            Placeholder.first(in: text, isKnown: { _ in false }).map { $0.isBraced } ?? false
        guard isBraced || reader.document.hasInterpolation(field.key) else { return }
        reader.faults.log.warn(
            .suspiciousPlaceholder,
            "the key `\(text.excerpt)` is plain text: runner fills in values, not keys",
            at: reader.document.range(of: field.key)
        )
    }

    /// Warns of a path that begins with `~`, which only a shell replaces by a home folder.
    static func warnOfHome(in field: Field, _ reader: inout Reader) {
        guard reader.faults.log.takesWarnings, reader.document.kind(of: field.node) == .scalar,
            reader.document.withBytes(of: field.node, Self.beginsAtHome)
        else { return }
        let text = reader.document.text(of: field.node)
        let range = reader.document.range(of: field.node)
        let likely = "${env.HOME}" + text.dropFirst()
        reader.faults.log.warn(
            .suspiciousPlaceholder,
            "`\(field.name)`: `~` is the name of a folder here, not the home folder",
            at: range,
            help: "did you mean `\(likely.excerpt)`?",
            fixIt: reader.document.isPlain(field.node)
                ? .init(range: range, replacement: likely) : nil
        )
    }

    private static func beginsAtHome(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 1 && bytes[0] == UInt8(ascii: "~") && bytes[1] == UInt8(ascii: "/")
    }

    private static func report(
        _ placeholder: Placeholder,
        _ severity: Diagnostic.Severity,
        _ likely: String?,
        _ text: String,
        _ field: Field,
        _ reader: inout Reader
    ) {
        let range = reader.faults.range(of: placeholder.range, in: text, field.node)
        let isWholeValue = range == reader.document.range(of: field.node)
        let general = "write `${env.NAME}` or `${var.name}` to fill in a value"
        let diagnostic = Diagnostic(
            severity,
            severity == .error ? .badURL : .suspiciousPlaceholder,
            "`\(field.name)`: `\(text.slice(placeholder.range))` is plain text here, not a "
                + "variable",
            at: range,
            help: likely.map { "did you mean `\($0)`?" } ?? general,
            generalHelp: general,
            // A text with escapes has no exact place for the edit.
            fixIt: isWholeValue ? nil : likely.map { .init(range: range, replacement: $0) }
        )
        reader.faults.log.add(diagnostic)
    }

    /// Whether a text has a dollar or a pair of braces: most have none, and are not examined
    /// further.
    private static func mayHavePlaceholder(_ bytes: Span<UInt8>) -> Bool {
        bytes.contains(UInt8(ascii: "$")) || bytes.contains(UInt8(ascii: "{"))
    }

    /// Warns of credentials in a request over plain http, which others can read.
    static func warnOfPlainCredentials(
        to origin: Origin,
        in fields: [HeaderField],
        of task: NodeID,
        _ reader: inout Reader
    ) {
        // Most tasks have no header field: the cheapest check is first.
        guard reader.faults.log.takesWarnings, origin.scheme == .http,
            let header = fields.first(where: { Self.isCredential($0.name) }), !origin.isLoopback,
            let url = reader.document.value(of: task, for: "url")?.value
        else { return }
        let headers = reader.document.value(of: task, for: "headers")?.value
        let entry = headers.flatMap { reader.document.value(of: $0, for: header.name) }
        reader.faults.log.warn(
            .plainHTTPCredentials,
            "the header `\(header.name)`\(reader.context) goes over plain http, where others can "
                + "read it",
            at: reader.document.range(of: url),
            notes: entry.map {
                [.init("it is set here", at: reader.document.range(of: $0.key))]
            }
                ?? [],
            help: "use `https://`"
        )
    }

    private static func isCredential(_ name: String) -> Bool {
        let lowercased = name.lowercased()
        return lowercased == "authorization" || lowercased == "cookie"
    }

}
