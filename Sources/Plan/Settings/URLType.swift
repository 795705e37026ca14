internal import JobFile
internal import TransferModel

/// The URL that a task requests.
enum URLType {
    /// An http or https URL.
    static let type = ValueType<TransferURL>(.text(pattern: URLText.pattern, example: example)) {
        $0.url($1)
    }

    private static let example = "https://example.com/file"

    /// A URL that is a secret: its path lets a client post there.
    static let ofWebhook = ValueType<TransferURL>(.credential) { $0.url($1) }
        .checkingText()

    /// The URL of a task itself, which may also be local, of a file server or of a custom scheme.
    static let task = ValueType<TransferURL>(
        .text(pattern: URLText.taskPattern, example: example)
    ) { reader, field in
        let schemes = reader.customSchemes
        return reader.url(field) { (text, other) throws(ValueFault) in
            try URLText.parseTask(text, like: other, schemes)
        }
    }
    .checkingText()
}

extension ValueType where Value == TransferURL {
    /// The same URLs, with warnings of text that other tools expand; a placeholder that no URL can
    /// have is reported in place of its characters.
    func checkingText() -> ValueType {
        ValueType(shape) { [read] reader, field in
            URLType.warnOfPattern(in: field, &reader)
            let isURL = reader.isFaultless {
                Slips.warnOfPlaceholders(in: field, isURL: true, &$0)
            }
            return isURL ? read(&reader, field) : nil
        }
    }
}

extension URLType {
    /// Warns of the first pattern of a shell or of curl in a URL.
    fileprivate static func warnOfPattern(in field: Field, _ reader: inout Reader) {
        guard reader.faults.log.takesWarnings, reader.document.kind(of: field.node) == .scalar,
            reader.document.withBytes(of: field.node, ShellPattern.mayBe(in:))
        else { return }
        let text = reader.document.text(of: field.node)
        guard let found = ShellPattern.first(inPathOf: text) else { return }
        let form = found.isOfNumbers ? "range: [1, 3]" : "items: [a, b]"
        reader.faults.log.warn(
            .suspiciousPlaceholder,
            "`\(field.name)`: `\(text.slice(found.range))` is plain text here, not a pattern",
            at: reader.faults.range(of: found.range, in: text, field.node),
            help: "for several URLs, write `forEach: { \(form) }` and `${item}` in the URL"
        )
    }
}
