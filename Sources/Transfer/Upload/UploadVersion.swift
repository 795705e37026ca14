/// The versions of draft-ietf-httpbis-resumable-upload that are spoken, by the number that both sides name.
enum UploadVersion: Int, Sendable, Hashable, CaseIterable {
    /// Of draft 01.
    case v3 = 3
    /// Of draft 03.
    case v5 = 5
    /// Of drafts 04 and 05.
    case v6 = 6

    /// What a server is asked with first.
    static let preferred = UploadVersion.v6

    /// As `Upload-Draft-Interop-Version` has it.
    init?(text: String) {
        guard let number = UploadFields.integer(text), let version = Self(rawValue: Int(number))
        else { return nil }
        self = version
    }
}
