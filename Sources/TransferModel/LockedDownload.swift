internal import SystemKit

/// The facts in a lock file about a download, which a later run must meet.
package final class LockedDownload: Sendable, Hashable {
    /// The URL of the response, after all redirects, as `TransferURL.withoutQuery` has it; nil
    /// accepts any.
    package let finalURL: String?
    /// The validator of the response, as `ResponseHead.lockValidator` has it; nil accepts any.
    package let validator: String?
    /// The file's size, bytes.
    package let size: Int64
    /// The file's SHA-256 in 64 lower-case hexadecimal digits.
    package let sha256: String

    /// Creates the facts about a file and the response that it came with.
    package init(finalURL: String?, validator: String?, size: Int64, sha256: String) {
        self.finalURL = finalURL
        self.validator = validator
        self.size = size
        self.sha256 = sha256
    }

    /// The facts that a mirror has to meet: another server has other URLs and validators.
    package var atMirror: LockedDownload {
        LockedDownload(finalURL: nil, validator: nil, size: size, sha256: sha256)
    }

    /// Whether both demand the same.
    package static func == (left: LockedDownload, right: LockedDownload) -> Bool {
        left.finalURL == right.finalURL && left.validator == right.validator
            && left.size == right.size && left.sha256 == right.sha256
    }

    /// Hashes only the digest, which nearly always distinguishes two files.
    package func hash(into hasher: inout Hasher) { hasher.combine(sha256) }
}

/// How a download uses a lock file.
package enum LockUse: Sendable, Hashable {
    case none
    /// A lock file is being made: the file is fetched whatever is at its destination, and its
    /// SHA-256 computed.
    case making
    /// The file and its response have to be as the lock file says.
    case obeying(LockedDownload)
}

extension ResponseHead {
    /// The one strong `ETag`, else the one `Last-Modified`, with the name of the field; nil without
    /// either.
    ///
    /// A weak tag is skipped: servers make other ones for the same bytes. A date needs no least age
    /// here, because the digest of the file decides as well.
    package var lockValidator: String? {
        let tags = fields.values(of: "etag")
        if tags.count == 1, tags[0].hasBytePrefix("\"") { return "ETag: \(tags[0])" }
        let dates = fields.values(of: "last-modified")
        return dates.count == 1 ? "Last-Modified: \(dates[0])" : nil
    }
}

extension TransferURL {
    /// The URL up to its path, without user information; nil for a local one.
    ///
    /// Redirects often lead to a URL with a signature in its query, which is a credential and
    /// another one each time.
    package var withoutQuery: String? {
        guard !isLocal else { return nil }
        var bytes = Array(text.utf8.prefix(pathEnd))
        if hasUserInformation, let login = UserInformation.first(in: bytes.span) {
            bytes.removeSubrange(login.lowerBound...login.upperBound)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
