/// The versions of draft-ietf-httpbis-resumable-upload that are spoken, by the number that both
/// sides name.
enum UploadVersion: Int, Sendable, Hashable, CaseIterable {
    /// Of draft 01.
    case v3 = 3
    /// Of draft 03.
    case v5 = 5
    /// Of drafts 04 and 05.
    case v6 = 6
    /// Of drafts 06 to 08.
    case v7 = 7
    /// Of drafts 09 to 12, the newest one.
    case v8 = 8

    /// In which versions a server is asked that passes over the ones before: what is deployed most
    /// comes first, and within the four attempts that a task usually has.
    static let order: [UploadVersion] = [.v6, .v8, .v3, .v5, .v7]

    /// Whether a creation tells the length of the whole body, and an append has a media type of its
    /// own.
    var namesLengthAndType: Bool { rawValue >= Self.v6.rawValue }

    /// As `Upload-Draft-Interop-Version` has it.
    init?(text: String) {
        guard let number = UploadFields.integer(text), let version = Self(rawValue: Int(number))
        else { return nil }
        self = version
    }
}
