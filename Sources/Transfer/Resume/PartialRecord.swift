internal import CurlKit
internal import JSON
internal import TransferModel

/// What a later run has to know of a part: the text of the file that lies beside it.
///
/// One line of JSON and one with its SHA-256, so that a line that a crash has torn is not believed. It has nothing of
/// the request but its URL and a digest of fields that never hold secrets.
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

    private static let formatVersion: Int64 = 1
    /// Longer ones are none of ours, bytes.
    static let maximumSize = 64 << 10

    /// The URL that was asked, before redirects.
    var url: String
    /// See `digest(of:_:)`.
    var requestDigest: String
    var validator: ResumeValidator
    /// The length of the whole.
    var total: Int64
    /// Which file the part is (`st_ino`).
    var inode: UInt64
    /// Until when the kernel itself knows what was written.
    var bootIdentifier: String
    var checkpoint: Checkpoint

    /// The digest of what chooses between representations, and of the checksum that the job has for the file.
    ///
    /// Only fields count that may hold no secret: `Accept`, `Accept-…` and `User-Agent`. nil without libcrypto.
    static func digest(
        of fields: [HeaderField],
        _ checksum: TaskSpec.ExpectedChecksum?
    ) -> String? {
        var lines = fields.compactMap { field -> String? in
            let name = field.name.lowercased()
            guard name == "accept" || name.hasPrefix("accept-") || name == "user-agent" else {
                return nil
            }
            return "\(name): \(field.value)\n"
        }
        lines.sort()
        switch checksum {
        case nil: break
        case .digest(let checksum):
            lines.append(MessageDigest.hexadecimal(checksum.digest))
        case .listed(let list): lines.append("\(list.algorithm.title) in \(list.url.text)")
        }
        return MessageDigest.sha256(of: Array(lines.joined().utf8))
    }

    /// The text; nil without libcrypto.
    var text: [UInt8]? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("formatVersion")
        writer.integer(Self.formatVersion)
        writer.key("url")
        writer.string(url)
        writer.key("requestDigest")
        writer.string(requestDigest)
        switch validator {
        case .entityTag(let text):
            writer.key("entityTag")
            writer.string(text)
        case .lastModified(let text):
            writer.key("lastModified")
            writer.string(text)
        }
        writer.key("total")
        writer.integer(total)
        writer.key("inode")
        writer.string(String(inode))
        writer.key("bootIdentifier")
        writer.string(bootIdentifier)
        writer.key("length")
        writer.integer(checkpoint.length)
        writer.key("digest")
        writer.string(checkpoint.digest)
        writer.endObject()
        let line = writer.bytes
        guard let seal = MessageDigest.sha256(of: line) else { return nil }
        return line + Array("\n\"\(seal)\"\n".utf8)
    }

    /// nil for a text that is not whole, or not of this version.
    init?(_ text: [UInt8]) {
        let lines = text.split(separator: 10, omittingEmptySubsequences: false)
        guard lines.count == 3, lines[2].isEmpty,
            let seal = MessageDigest.sha256(of: Array(lines[0])),
            lines[1].elementsEqual("\"\(seal)\"".utf8),
            let record = try? JSONValue(bytes: Array(lines[0])),
            record["formatVersion"]?.integer == Self.formatVersion,
            let url = record["url"]?.string,
            let requestDigest = record["requestDigest"]?.string,
            let total = record["total"]?.integer, total > 0,
            let inode = record["inode"]?.string.flatMap({ UInt64($0) }),
            let bootIdentifier = record["bootIdentifier"]?.string,
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
        self.requestDigest = requestDigest
        self.total = total
        self.inode = inode
        self.bootIdentifier = bootIdentifier
        checkpoint = Checkpoint(length: length, digest: digest)
    }

    init(
        url: String,
        requestDigest: String,
        validator: ResumeValidator,
        total: Int64,
        inode: UInt64,
        bootIdentifier: String,
        checkpoint: Checkpoint = .start
    ) {
        self.url = url
        self.requestDigest = requestDigest
        self.validator = validator
        self.total = total
        self.inode = inode
        self.bootIdentifier = bootIdentifier
        self.checkpoint = checkpoint
    }
}
