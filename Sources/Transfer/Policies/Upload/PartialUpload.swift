internal import CurlKit
internal import JSON
internal import SystemKit
internal import TransferModel

/// The state of an interrupted resumable upload, and the facts needed to resume it.
///
/// Attempts pass it on to the next one; a record passes it on to the next run.
package final class PartialUpload: Sendable, Equatable {
    private static let formatVersion: Int64 = 1

    /// The URL of the upload, a secret: every client that knows it may add to the upload or cancel
    /// it.
    let url: TransferURL
    let version: UploadVersion
    /// The digest of the request and its body; `salt` is the beginning of its text.
    let digest: String
    let salt: String
    /// The digest of the properties that do not depend on fields, credentials or times of files.
    let order: String
    /// Whether its session and task use the default path to the server, so that any process may
    /// send it a request.
    let isPlain: Bool
    /// Whether the request may arrive twice: it had an idempotency key, or needs none.
    package let isRepeatable: Bool
    /// The boundary of a `multipart` body, which must stay the same.
    let boundary: String?
    /// The length of the whole body, bytes.
    package let total: Int64
    /// The bytes that the server certainly has.
    package let confirmed: Int64
    /// Whether the last byte may have arrived.
    package let mayBeComplete: Bool
    /// The offset up to which bytes may have left.
    let farthest: Int64
    /// The status of a response after the whole body was sent; nil without one.
    let lateStatus: Int?
    /// The most bytes of one request; nil for any number.
    let longestPart: Int64?
    /// When the server gave the upload its URL.
    let creationDate: Timestamp
    /// Whether a later run finds the upload.
    package let isKept: Bool

    init(
        url: TransferURL,
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

    /// Reads the record of an earlier run; nil for a record of another version.
    ///
    /// How much that run sent in the end is unknown.
    init?(_ record: JSONValue) {
        guard record["formatVersion"]?.integer == Self.formatVersion,
            let url = record["url"]?.string.flatMap({ try? TransferURL($0) }),
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

/// The identity of an upload, as two digests with the same salt.
struct UploadDigests {
    /// The parts of a request that its digests cover.
    struct Source {
        /// The task's own request.
        let request: RequestSpec
        let credentials: [Credential]
        let body: BodySource?
        /// The body's files; nil for a body in memory.
        let files: SegmentedBody?

        /// The digests of request and body; nil when the body cannot be read.
        func digests(_ salt: String) -> UploadDigests? {
            let traits = RequestTraits(request.headers, credentials)
            let order = [salt, request.method, request.url.text]
            let whole = order + [request.headers.idempotencyKey ?? "", traits.digest(salt) ?? ""]
            guard let whole = digest(of: whole, withTimes: true),
                let part = digest(of: order, withTimes: false)
            else { return nil }
            return UploadDigests(request: whole, order: part)
        }

        private func digest(of texts: [String], withTimes: Bool) -> String? {
            guard let digest = MessageDigest() else { return nil }
            for text in texts { digest.update(Array("\(text)\n".utf8).span) }
            switch body {
            case .bytes(let bytes), .compressed(let bytes, _): digest.update(bytes.span)
            case .file, .multipart:
                guard let files, (try? files.identify(to: digest, withTimes: withTimes)) != nil
                else { return nil }
            case .command, .pipe, nil: return nil
            }
            return MessageDigest.hexadecimal(digest.finish())
        }
    }

    /// The digest of the request with its fields and credentials, and of the body with the times of
    /// its files.
    var request: String
    /// The digest of method, URL and body, as far as they identify an order: the size and beginning
    /// of a file, not its times.
    var order: String

    /// The digests that a record shares with this upload.
    func match(_ partial: PartialUpload) -> UploadMachine.Match {
        if request == partial.digest { return .upload }
        return order == partial.order ? .order : .nothing
    }
}
