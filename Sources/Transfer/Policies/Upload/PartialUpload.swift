internal import JSON
internal import TransferModel

/// What there is of a resumable upload that was cut, and what it takes to go on with it.
///
/// Goes from one attempt to the next, and as a record to the next run.
package final class PartialUpload: Sendable, Equatable {
    private static let formatVersion: Int64 = 1

    /// Where the upload is: whoever knows it may add to it or give it up.
    let url: HTTPURL
    let version: UploadVersion
    /// The digest of the request and its body, and what that begins with.
    let digest: String
    let salt: String
    /// That of what stays the same when fields, credentials or the times of files change.
    let order: String
    /// Whether its session and task have no say in the way to the server, so that anybody may ask
    /// it.
    let isPlain: Bool
    /// Whether it may arrive twice: it had an idempotency key, or needs none.
    package let isRepeatable: Bool
    /// The boundary of a `multipart` body, which stays the same.
    let boundary: String?
    /// Bytes of the whole body.
    package let total: Int64
    /// Bytes that the server has had at least.
    package let confirmed: Int64
    /// Whether the last byte may have arrived.
    package let mayBeComplete: Bool
    /// The position up to which bytes may have left.
    let farthest: Int64
    /// The status that has answered when all was sent.
    let lateStatus: Int?
    /// The most bytes that a request may bring; nil for any number.
    let longestPart: Int64?
    /// When the server has named it.
    let creationDate: Timestamp
    /// Whether a later run finds it.
    package let isKept: Bool

    init(
        url: HTTPURL,
        version: UploadVersion,
        digest: String,
        salt: String,
        order: String = "",
        isPlain: Bool = true,
        isRepeatable: Bool = false,
        boundary: String? = nil,
        total: Int64,
        confirmed: Int64 = 0,
        mayBeComplete: Bool = false,
        farthest: Int64? = nil,
        lateStatus: Int? = nil,
        longestPart: Int64? = nil,
        creationDate: Timestamp,
        isKept: Bool = false
    ) {
        self.url = url
        self.version = version
        self.digest = digest
        self.salt = salt
        self.order = order
        self.isPlain = isPlain
        self.isRepeatable = isRepeatable
        self.boundary = boundary
        self.total = total
        self.confirmed = confirmed
        self.mayBeComplete = mayBeComplete
        self.farthest = farthest ?? total
        self.lateStatus = lateStatus
        self.longestPart = longestPart
        self.creationDate = creationDate
        self.isKept = isKept
    }

    /// Whether both are the same part with the same progress.
    package static func == (left: PartialUpload, right: PartialUpload) -> Bool {
        left.text == right.text && left.isKept == right.isKept
            && left.mayBeComplete == right.mayBeComplete && left.farthest == right.farthest
    }

    // MARK: As a record

    /// The text of the record; nil without libcrypto.
    var text: [UInt8]? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("formatVersion", Self.formatVersion)
        writer.member("url", url.text)
        writer.member("version", version.rawValue)
        writer.member("digest", digest)
        writer.member("salt", salt)
        writer.member("order", order)
        writer.member("plain", isPlain)
        writer.member("repeatable", isRepeatable)
        if let boundary {
            writer.member("boundary", boundary)
        }
        writer.member("total", total)
        writer.member("confirmed", confirmed)
        if let lateStatus {
            writer.member("lateStatus", lateStatus)
        }
        if let longestPart {
            writer.member("longestPart", longestPart)
        }
        writer.member("created", creationDate.microseconds)
        writer.endObject()
        return SealedLine.text(of: writer.bytes)
    }

    /// What an earlier run has left; nil for what is of another version.
    ///
    /// Nobody knows how much that run had sent in the end.
    init?(_ record: JSONValue) {
        guard record["formatVersion"]?.integer == Self.formatVersion,
            let url = record["url"]?.string.flatMap({ try? HTTPURL($0) }),
            let version = record["version"]?.integer.flatMap({ UploadVersion(rawValue: Int($0)) }),
            let digest = record["digest"]?.string,
            let salt = record["salt"]?.string, let order = record["order"]?.string,
            let isPlain = record["plain"]?.bool,
            let isRepeatable = record["repeatable"]?.bool,
            let total = record["total"]?.integer, total > 0,
            let confirmed = record["confirmed"]?.integer, (0...total).contains(confirmed),
            let created = record["created"]?.integer
        else { return nil }
        self.url = url
        self.version = version
        self.digest = digest
        self.salt = salt
        self.order = order
        self.isPlain = isPlain
        self.isRepeatable = isRepeatable
        boundary = record["boundary"]?.string
        self.total = total
        self.confirmed = confirmed
        mayBeComplete = true
        farthest = total
        lateStatus = record["lateStatus"]?.integer.flatMap { Int(exactly: $0) }
        longestPart = record["longestPart"]?.integer.flatMap { $0 > 0 ? $0 : nil }
        creationDate = Timestamp(microseconds: created)
        isKept = true
    }
}
