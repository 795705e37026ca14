internal import TransferModel

/// The URL that a task requests.
enum URLType {
    /// An http or https URL.
    static let type = ValueType<HTTPURL>(.text(pattern: URLText.pattern)) { $0.url($1) }
        .warningOfPlaceholders()

    /// The URL of a task itself, which may also be a local one.
    static let task = ValueType<HTTPURL>(.text(pattern: URLText.taskPattern)) {
        $0.url($1, parse: URLText.parseTask)
    }
    .warningOfPlaceholders()
}
