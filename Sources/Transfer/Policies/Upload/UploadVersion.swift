/// The supported versions of draft-ietf-httpbis-resumable-upload, by their interop version number.
enum UploadVersion: Int, Sendable, Hashable, CaseIterable {
    /// Draft 01.
    case v3 = 3
    /// Draft 03.
    case v5 = 5
    /// Drafts 04 and 05.
    case v6 = 6
    /// Drafts 06 to 08.
    case v7 = 7
    /// Drafts 09 to 12, the newest one.
    case v8 = 8

    /// The order in which versions are tried at a server that ignores some: the most widely
    /// deployed come first, within the four attempts that a task usually has.
    static let order: [UploadVersion] = [.v6, .v8, .v3, .v5, .v7]

    /// Whether a creation states the length of the whole body, and an append has a media type of
    /// its own.
    var namesLengthAndType: Bool { rawValue >= Self.v6.rawValue }
}
