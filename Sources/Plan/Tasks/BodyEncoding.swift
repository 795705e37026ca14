/// How a body in memory is written and sent.
struct BodyEncoding: Sendable, Hashable {
    /// What is done to the bytes before they are sent.
    enum Content: String, Sendable, CaseIterable {
        case identity
        case gzip
    }

    var json = JSONFormatting()
    var content = Content.identity
}
