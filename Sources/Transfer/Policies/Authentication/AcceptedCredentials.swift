internal import SystemKit
internal import TransferModel

/// Remembers where servers accepted a session's credentials, so that later requests carry them at
/// once (RFC 7617 §2.2).
///
/// A credential for any realm applies to the whole origin. One with a realm applies to the folder
/// of the challenged URL and everything below.
struct AcceptedCredentials {
    private struct Space: Hashable {
        var origin: Origin
        /// With a slash at both ends.
        var folder: String
        var credential: Int
    }

    /// There are few: one for each credential and folder.
    private var spaces: [Space] = []
    /// The most remembered folders.
    private static let capacity = 64

    /// The credential that was accepted nearest to a URL; nil for none.
    func credential(for url: TransferURL) -> Int? {
        guard !spaces.isEmpty else { return nil }
        let path = url.sentPath
        let isPlain = Self.isPlain(path)
        return spaces.filter {
            $0.origin == url.origin
                && ($0.folder == "/" || isPlain && path.hasBytePrefix($0.folder))
        }
        .max { $0.folder.utf8.count < $1.folder.utf8.count }?.credential
    }

    /// Notes that a request with a credential was not refused.
    mutating func note(_ credential: Int, at url: TransferURL, hasRealm: Bool) {
        let folder = hasRealm ? Self.folder(of: url.sentPath) : "/"
        let space = Space(origin: url.origin, folder: folder, credential: credential)
        guard !spaces.contains(space) else { return }
        spaces.removeAll { $0.origin == space.origin && $0.folder == folder }
        if spaces.count < Self.capacity { spaces.append(space) }
    }

    /// Whether all servers see the same folders in a path: some decode an escaped slash or
    /// backslash, and some ignore the part of a segment after a semicolon.
    private static func isPlain(_ path: String) -> Bool {
        guard path.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: ";") })
        else { return true }
        let path = path.lowercased()
        return !["%2f", "%5c", ".;", "%3b"].contains { path.contains($0) }
    }

    /// The path up to its last slash.
    private static func folder(of path: String) -> String {
        "\(path.cut(atLast: "/")?.before ?? "")/"
    }
}
