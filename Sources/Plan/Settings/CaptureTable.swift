internal import Diagnostics
internal import JSON
internal import JobFile
internal import RegexKit
internal import SystemKit
internal import TransferModel

/// `capture`: values that a task takes from its response for later tasks.
enum CaptureTable {
    /// The source of one capture; nil before it is read.
    static let table = SettingTable<Capture.Source?>(
        "capture",
        [
            Setting(
                "json",
                ValueType(
                    pattern: JSONPointer.pattern,
                    example: "/name",
                    parse: JSONPointerText.parse
                ),
                "A JSON pointer to a string, a number or a boolean in the body."
            ) { $0 = .json($1) },
            Setting(
                "header",
                ValueType<String>(pattern: HeaderRule.namePattern, example: "Name") {
                    name throws(ValueFault) in
                    try HeaderRule.checkToken(name)
                    return name
                },
                "The name of a response header field; the first field line counts."
            ) { $0 = .header($1) },
            Setting(
                "regex",
                pattern,
                "A PCRE2 pattern; the value is its first group in the body, or else the whole "
                    + "match."
            ) { $0 = .regex($1) },
        ],
        exactlyOneOf: ["json", "header", "regex"],
        shorthand: Shorthand { text in
            ["/", "$.", "."].contains(where: text.hasBytePrefix) ? "json" : nil
        }
    )

    /// A PCRE2 pattern that can be compiled.
    static let pattern = ValueType<String>(.text(pattern: nil)) { pattern($1, &$0) }

    static let type = ValueType<[Capture]>(
        .named(.mapping(table.keys), pattern: "^[A-Za-z_][A-Za-z0-9_-]*$", hasFreeKeys: true)
    ) { captures($1, &$0) }.faultless
}

extension CaptureTable {
    /// The captures of a mapping in its order, without those that have a fault.
    private static func captures(_ field: Field, _ reader: inout Reader) -> [Capture]? {
        guard reader.isMapping(field) else { return nil }
        var captures: [Capture] = []
        for entry in reader.document.entries(of: field.node)
        where !reader.document.isFree(entry.key) {
            let name = reader.document.text(of: entry.key)
            guard Expression.isVariableName(name) else {
                reader.report(
                    .badID,
                    "`\(name.excerpt)` is not the name of a capture",
                    at: entry.key,
                    help: "a name has letters, digits, `_` and `-`, and does not begin with a digit"
                )
                continue
            }
            var source: Capture.Source?
            let inner = Field(name: name, key: entry.key, node: entry.value)
            reader.apply(CaptureTable.table, to: &source, in: inner)
            if let source { captures.append(Capture(name, from: source)) }
        }
        return captures
    }

    /// Different patterns that are compiled at most, which takes up to half a millisecond each; a
    /// job with more finds out about the others when it needs them.
    private static let mostPatterns = 2000

    /// A pattern that can be compiled.
    private static func pattern(_ field: Field, _ reader: inout Reader) -> String? {
        guard let text = reader.text(field) else { return nil }
        guard let patternFault = reader.patternFault, !reader.rightPatterns.contains(text),
            reader.rightPatterns.count < Self.mostPatterns
        else { return text }
        switch patternFault(text) {
        case nil:
            reader.rightPatterns.insert(text)
            return text
        case .syntax(let message, let offset):
            let part =
                max(0, min(offset, text.utf8.count) - 1)..<min(max(offset, 1), text.utf8.count)
            // The text of a filled-in value is not in the job file.
            let isWritten = !reader.document.hasInterpolation(field.node) && !part.isEmpty
            reader.report(
                ValueFault(.badPattern, "`\(text.excerpt)` is not a pattern: \(message)"),
                of: field,
                at: isWritten ? reader.faults.range(of: part, in: text, field.node) : nil
            )
        case .unavailable(let message):
            reader.report(
                .missingLibrary,
                "`\(field.name)`: patterns need the library libpcre2-8: \(message)",
                at: field.node,
                help: "install it; on Debian its package is `libpcre2-8-0`"
            )
        }
        return nil
    }
}
