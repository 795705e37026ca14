internal import CurlKit
internal import JSON
internal import TransferModel

/// What a later run has to know of a part: the text of the file that lies beside it.
///
/// A `SealedLine`, which has nothing of the request but its URL and salted digests.
struct PartialRecord: Hashable {
    /// How much of a part is certain to have reached the disk, and what it is.
    struct Checkpoint: Sendable, Hashable {
        /// Bytes from the beginning.
        var length: Int64
        /// The SHA-256 of those bytes in hexadecimal digits.
        var digest: String

        /// That of no bytes.
        static let start = Checkpoint(
            length: 0,
            digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
    }

    private static let formatVersion: Int64 = 2

    /// The URL that was asked, before redirects.
    var url: String
    /// What the digests of the request and of the source begin with.
    var salt: String
    /// That of the request's `RequestTraits`.
    var requestDigest: String
    /// That of the URL that has answered, behind all redirects and without its query: a validator is of one URL only.
    var sourceDigest: String
    var validator: ResumeValidator
    /// The length of the whole.
    var total: Int64
    /// Which file the part is (`st_ino`).
    var inode: UInt64
    /// Until when the kernel itself knows what was written: the start of the machine and the mount; empty where it cannot
    /// be told.
    var tenure: String
    var checkpoint: Checkpoint

    /// The SHA-256 of a text that nobody is to guess from it, in hexadecimal digits; nil without libcrypto.
    static func digest(of text: String, _ salt: String) -> String? {
        MessageDigest.sha256(of: Array("\(salt) \(text)".utf8))
    }

    /// 128 random bits in hexadecimal digits.
    static func makeSalt() -> String {
        var generator = SystemRandomNumberGenerator()
        return MessageDigest.hexadecimal((0..<16).map { _ in generator.next() })
    }

    /// The text; nil without libcrypto.
    var text: [UInt8]? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("formatVersion", Self.formatVersion)
        writer.member("url", url)
        writer.member("salt", salt)
        writer.member("requestDigest", requestDigest)
        writer.member("sourceDigest", sourceDigest)
        switch validator {
        case .entityTag(let text):
            writer.member("entityTag", text)
        case .lastModified(let text):
            writer.member("lastModified", text)
        }
        writer.member("total", total)
        writer.member("inode", String(inode))
        writer.member("tenure", tenure)
        writer.member("length", checkpoint.length)
        writer.member("digest", checkpoint.digest)
        writer.endObject()
        return SealedLine.text(of: writer.bytes)
    }

    /// nil for what is of another version.
    init?(_ record: JSONValue) {
        guard record["formatVersion"]?.integer == Self.formatVersion,
            let url = record["url"]?.string,
            let salt = record["salt"]?.string,
            let requestDigest = record["requestDigest"]?.string,
            let sourceDigest = record["sourceDigest"]?.string,
            let total = record["total"]?.integer, total > 0,
            let inode = record["inode"]?.string.flatMap({ UInt64($0) }),
            let tenure = record["tenure"]?.string,
            let length = record["length"]?.integer, length >= 0, length <= total,
            let digest = record["digest"]?.string
        else { return nil }
        if let tag = record["entityTag"]?.string {
            validator = .entityTag(tag)
        } else if let date = record["lastModified"]?.string {
            validator = .lastModified(date)
        } else {
            return nil
        }
        self.url = url
        self.salt = salt
        self.requestDigest = requestDigest
        self.sourceDigest = sourceDigest
        self.total = total
        self.inode = inode
        self.tenure = tenure
        checkpoint = Checkpoint(length: length, digest: digest)
    }

    init(
        url: String,
        salt: String,
        requestDigest: String,
        sourceDigest: String,
        validator: ResumeValidator,
        total: Int64,
        inode: UInt64,
        tenure: String,
        checkpoint: Checkpoint = .start
    ) {
        self.url = url
        self.salt = salt
        self.requestDigest = requestDigest
        self.sourceDigest = sourceDigest
        self.validator = validator
        self.total = total
        self.inode = inode
        self.tenure = tenure
        self.checkpoint = checkpoint
    }
}
