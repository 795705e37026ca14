internal import TransferModel

/// The versions of resumable uploads that the asked origins support; one for each session and
/// engine thread.
///
/// A server must ignore an unknown version (draft 12, Draft Version Identification), so that a
/// silent server may still support another one. The next upload tries the next version, until the
/// server has named an upload or refused all versions.
struct UploadSupport {
    private enum Answer {
        case speaks(UploadVersion)
        /// The origin refused all versions.
        case speaksNone
        /// The origin ignored this many versions of `UploadVersion.order`, which is tried again and
        /// again.
        case silent(Int)
    }

    private var answers: [Origin: Answer] = [:]

    /// The version to try at an origin; nil when the origin supports none.
    func version(for origin: Origin) -> UploadVersion? {
        switch answers[origin] {
        case .speaks(let version): version
        case .speaksNone: nil
        case .silent(let count): UploadVersion.order[count % UploadVersion.order.count]
        case nil: UploadVersion.order[0]
        }
    }

    /// Notes the version that an origin supports; nil when it refused all versions.
    mutating func note(_ version: UploadVersion?, at origin: Origin) {
        answers[origin] = version.map(Answer.speaks) ?? .speaksNone
    }

    /// Notes that an origin ignored an upload of a version.
    mutating func noteSilence(to version: UploadVersion, at origin: Origin) {
        // Of concurrent uploads only the first one counts.
        guard version == self.version(for: origin) else { return }
        switch answers[origin] {
        case .speaks, .speaksNone: return
        case .silent(let count): answers[origin] = .silent(count + 1)
        case nil: answers[origin] = .silent(1)
        }
    }
}

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
