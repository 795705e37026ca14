internal import TransferModel

/// Which version of resumable uploads the origins speak that were asked; one for each session and
/// engine thread.
///
/// A server must pass over a version that it does not speak (draft 12, Draft Version
/// Identification), so that one which says nothing may still speak another: it is asked in the next
/// version the next time, until it has named an upload or refused them all.
struct UploadSupport {
    private enum Answer {
        case speaks(UploadVersion)
        /// It has refused all of ours.
        case speaksNone
        /// It has passed over so many of `UploadVersion.order`, which is gone through again and
        /// again.
        case silent(Int)
    }

    private var answers: [Origin: Answer] = [:]

    /// What an origin is asked with; nil when it is not asked.
    func version(for origin: Origin) -> UploadVersion? {
        switch answers[origin] {
        case .speaks(let version): version
        case .speaksNone: nil
        case .silent(let count): UploadVersion.order[count % UploadVersion.order.count]
        case nil: UploadVersion.order[0]
        }
    }

    /// The origin speaks that version; nil when it has refused all of ours.
    mutating func note(_ version: UploadVersion?, at origin: Origin) {
        answers[origin] = version.map(Answer.speaks) ?? .speaksNone
    }

    /// The origin has had an upload in that version and said nothing to it.
    mutating func noteSilence(to version: UploadVersion, at origin: Origin) {
        // Of uploads at the same time the first one counts.
        guard version == self.version(for: origin) else { return }
        switch answers[origin] {
        case .speaks, .speaksNone: return
        case .silent(let count): answers[origin] = .silent(count + 1)
        case nil: answers[origin] = .silent(1)
        }
    }
}
