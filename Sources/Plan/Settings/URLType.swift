internal import TransferModel

/// The URL that a task requests.
enum URLType {
    /// An http or https URL.
    static let type = ValueType<HTTPURL>(.text(pattern: URLText.pattern, example: example)) {
        $0.url($1)
    }

    private static let example = "https://example.com/file"

    /// A URL that is a secret: its path lets a client post there.
    static let ofWebhook = ValueType<HTTPURL>(.credential) { $0.url($1) }
        .warningOfPlaceholders()

    /// The URL of a task itself, which may also be local, of a file server or of a custom scheme.
    static let task = ValueType<HTTPURL>(
        .text(pattern: URLText.taskPattern, example: example)
    ) { reader, field in
        let schemes = reader.customSchemes
        return reader.url(field) { (text, other) throws(ValueFault) in
            try URLText.parseTask(text, like: other, schemes)
        }
    }
    .warningOfPlaceholders()
}
