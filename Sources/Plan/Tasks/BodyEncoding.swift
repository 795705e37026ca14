/// How a body in memory is written and sent.
struct BodyEncoding: Sendable, Hashable {
    /// The coding of the bytes that are sent.
    enum Content: String, Sendable, CaseIterable {
        case identity
        case gzip
    }

    var json = JSONFormatting()
    var content = Content.identity
}
