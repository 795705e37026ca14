internal import TransferModel

/// Which version of resumable uploads the origins speak that were asked; one for each session and engine thread.
struct UploadSupport {
    /// nil for an origin that speaks none of ours.
    private var versions: [Origin: UploadVersion?] = [:]

    /// What an origin is asked with; nil when it is not asked.
    func version(for origin: Origin) -> UploadVersion? {
        versions[origin] ?? .preferred
    }

    /// The origin speaks that version; nil when it has refused all of ours.
    mutating func note(_ version: UploadVersion?, at origin: Origin) {
        versions[origin] = .some(version)
    }
}
