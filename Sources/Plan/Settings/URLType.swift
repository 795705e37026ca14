internal import TransferModel

/// The URL that a task requests.
enum URLType {
    static let type = ValueType<HTTPURL>(.text(pattern: URLText.pattern)) { $0.url($1) }
        .warningOfPlaceholders()
}
