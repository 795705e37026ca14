internal import CurlKit
internal import JSON
internal import SystemKit
internal import TransferModel

/// The facts about a part for a later run: the text of the file beside it.
///
/// Each text is a `SealedLine`, and the last complete one in the file counts (`PartialRecordFile`).
/// It contains nothing of the request but its URL and salted digests.
struct PartialRecord: Hashable {
    /// A stretch of a part, which begins at the end of the previous one.
    struct Checkpoint: Sendable, Hashable {
        /// The end of the stretch: bytes from the beginning of the part.
        var length: Int64
        /// The SHA-256 of its bytes in hexadecimal digits.
        var digest: String
    }

    /// A stretch of a part after a gap, which another connection has fetched.
    struct Piece: Sendable, Hashable {
        /// Its bytes.
        var range: Range<Int64>
        /// The SHA-256 of its bytes in hexadecimal digits.
        var digest: String
    }

    private static let formatVersion: Int64 = 3
    /// More pieces are not recorded: each connection may have one.
    static let mostPieces = SegmentGrowth.mostFixed

    /// The requested URL, before redirects.
    var url: String
    /// The beginning of the texts behind `requestDigest` and `sourceDigest`.
    var salt: String
    /// The digest of the request's `RequestTraits`.
    var requestDigest: String
    /// The digest of the URL that answered, after all redirects and without a signature in its
    /// query: a validator applies to one URL only.
    var sourceDigest: String
    var validator: ResumeValidator
    /// The length of the complete file.
    var total: Int64
    /// The digest that the first response announced for the complete file; nil without one.
    var announced: Checksum?
    /// The inode of the part (`st_ino`).
    var inode: UInt64
    /// Identifies the start of the machine and the mount during which the kernel knows the written
    /// bytes; empty if unknown.
    var tenure: String
    /// The stretches of the part, one for each run that wrote to it.
    var checkpoints: [Checkpoint] = []
    /// The stretches after gaps, in order and after `checkpoints`; they count only for the kernel
    /// that took them.
    var pieces: [Piece] = []
    /// The end up to which the part has certainly reached the disk, within or at the end of a
    /// stretch; nil when nothing has.
    var synced: Checkpoint?

    /// The stretches that count.
    ///
    /// - Parameter isRestarted: Whether the kernel that took the written bytes may have been
    ///   restarted since.
    /// - Returns: The stretches; the last one may be shortened.
    func vouched(isRestarted: Bool) -> [Checkpoint] {
        guard isRestarted else { return checkpoints }
        guard let synced else { return [] }
        let whole = checkpoints.prefix { $0.length <= synced.length }
        return whole.last?.length == synced.length ? Array(whole) : whole + [synced]
    }

    /// Makes the record a record of a later run: drops uncertain checkpoints and pieces, and lets
    /// the stretches before the first gap count as checkpoints.
    ///
    /// - Parameters:
    ///   - isRestarted: Whether the kernel that took the written bytes may have been restarted.
    ///   - size: The length of the part's file.
    mutating func settle(isRestarted: Bool, size: Int64) {
        checkpoints = vouched(isRestarted: isRestarted)
        let end = vouchedLength
        pieces.removeAll {
            isRestarted || $0.range.upperBound > size || $0.range.lowerBound < end
        }
        while vouchedLength > 0, let piece = pieces.first,
            piece.range.lowerBound == vouchedLength
        {
            checkpoints.append(Checkpoint(length: piece.range.upperBound, digest: piece.digest))
            pieces.removeFirst()
        }
    }

    /// Takes the pieces after the stretches; of too many the largest.
    mutating func setPieces(_ all: [Piece]) {
        var behind = all.filter { $0.range.lowerBound >= vouchedLength }
        if behind.count > Self.mostPieces {
            behind.sort { $0.range.length > $1.range.length }
            behind.removeLast(behind.count - Self.mostPieces)
        }
        pieces = behind.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The number of bytes in the stretches.
    var vouchedLength: Int64 { checkpoints.last?.length ?? 0 }

    /// The salted SHA-256 of a text, in hexadecimal digits, from which the text cannot be guessed;
    /// nil without libcrypto.
    static func digest(of text: String, _ salt: String) -> String? {
        MessageDigest.sha256(of: Array("\(salt) \(text)".utf8))
    }

    /// 128 random bits in hexadecimal digits.
    static func makeSalt() -> String {
        var generator = SystemRandomNumberGenerator()
        return MessageDigest.hexadecimal((0..<16).map { _ in generator.next() })
    }

    /// The record as a sealed line; nil without libcrypto.
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
        case .sizeAndModification(let text):
            writer.member("sizeAndModification", text)
        }
        writer.member("total", total)
        if let announced { writer.member("reprDigest", ReprDigest.text(of: announced)) }
        writer.member("inode", String(inode))
        writer.member("tenure", tenure)
        writer.key("checkpoints")
        writer.beginArray()
        for checkpoint in checkpoints { checkpoint.write(to: &writer) }
        writer.endArray()
        if !pieces.isEmpty {
            writer.key("pieces")
            writer.beginArray()
            for piece in pieces { piece.write(to: &writer) }
            writer.endArray()
        }
        if let synced {
            writer.key("synced")
            synced.write(to: &writer)
        }
        writer.endObject()
        return SealedLine.text(of: writer.bytes)
    }

    /// Returns nil for a record of another version.
    init?(_ record: JSONValue) {
        guard record["formatVersion"]?.integer == Self.formatVersion,
            let url = record["url"]?.string,
            let salt = record["salt"]?.string,
            let requestDigest = record["requestDigest"]?.string,
            let sourceDigest = record["sourceDigest"]?.string,
            let total = record["total"]?.integer, total > 0,
            let inode = record["inode"]?.string.flatMap({ UInt64($0) }),
            let tenure = record["tenure"]?.string,
            let checkpoints = Checkpoint.all(record["checkpoints"], upTo: total),
            let pieces = Piece.all(record["pieces"], upTo: total)
        else { return nil }
        if let tag = record["entityTag"]?.string {
            validator = .entityTag(tag)
        } else if let date = record["lastModified"]?.string {
            validator = .lastModified(date)
        } else if let date = record["sizeAndModification"]?.string {
            validator = .sizeAndModification(date)
        } else {
            return nil
        }
        self.url = url
        self.salt = salt
        self.requestDigest = requestDigest
        self.sourceDigest = sourceDigest
        self.total = total
        announced = record["reprDigest"]?.string.flatMap(ReprDigest.checksum)
        self.inode = inode
        self.tenure = tenure
        self.checkpoints = checkpoints
        self.pieces = pieces
        synced = record["synced"].flatMap { Checkpoint($0) }
    }

    init(
        url: String,
        salt: String,
        requestDigest: String,
        sourceDigest: String,
        validator: ResumeValidator,
        total: Int64,
        announced: Checksum? = nil,
        inode: UInt64,
        tenure: String
    ) {
        self.url = url
        self.salt = salt
        self.requestDigest = requestDigest
        self.sourceDigest = sourceDigest
        self.validator = validator
        self.total = total
        self.announced = announced
        self.inode = inode
        self.tenure = tenure
    }
}

extension PartialRecord.Checkpoint {
    fileprivate init?(_ value: JSONValue) {
        guard let length = value["length"]?.integer, length > 0,
            let digest = value["digest"]?.string
        else { return nil }
        self.init(length: length, digest: digest)
    }

    /// The stretches of a record; nil when they do not follow each other.
    fileprivate static func all(
        _ list: JSONValue?,
        upTo total: Int64
    ) -> [PartialRecord.Checkpoint]? {
        guard let list else { return nil }
        var checkpoints: [PartialRecord.Checkpoint] = []
        for element in list.elements {
            guard let checkpoint = PartialRecord.Checkpoint(element), checkpoint.length <= total,
                checkpoint.length > checkpoints.last?.length ?? 0
            else { return nil }
            checkpoints.append(checkpoint)
        }
        return checkpoints
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("length", length)
        writer.member("digest", digest)
        writer.endObject()
    }
}

extension PartialRecord.Piece {
    /// The pieces of a record, none without the member; nil when they are not in order.
    fileprivate static func all(_ list: JSONValue?, upTo total: Int64) -> [PartialRecord.Piece]? {
        guard let list else { return [] }
        var pieces: [PartialRecord.Piece] = []
        for element in list.elements.prefix(PartialRecord.mostPieces) {
            guard let start = element["start"]?.integer, let end = element["end"]?.integer,
                start >= pieces.last?.range.upperBound ?? 1, start < end, end <= total,
                let digest = element["digest"]?.string
            else { return nil }
            pieces.append(.init(range: start..<end, digest: digest))
        }
        return pieces
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("start", range.lowerBound)
        writer.member("end", range.upperBound)
        writer.member("digest", digest)
        writer.endObject()
    }
}

/// The file with a part's record: one or several texts, of which the last complete one counts.
///
/// Unsynced texts are appended and never replace the synced one: a power loss that empties or tears
/// the appended text leaves the synced one.
struct PartialRecordFile {
    /// The file's length; nil when nothing can be appended, because the file does not end with a
    /// complete text.
    private var length: Int64?
    /// Whether the file has content that must survive a power loss.
    private var isSettled: Bool

    /// Creates a description of a missing file.
    init() {
        length = nil
        isSettled = false
    }

    /// Describes the file that an earlier run left, which may be synced.
    ///
    /// - Parameters:
    ///   - size: The file's length.
    ///   - end: The end of its last complete text.
    init(size: Int, end: Int) {
        length = size == end ? Int64(size) : nil
        isSettled = true
    }

    /// Appends a text that need not survive a power loss; false when the text must replace the file
    /// instead.
    mutating func append(_ text: [UInt8], to name: String, in folder: Folder) -> Bool {
        guard let length, length + Int64(text.count) <= SealedLine.maximumSize else { return false }
        do throws(SystemError) {
            let file = try AppendFile(in: folder, name: name)
            try file.append(text, at: length, isDurable: false)
        } catch {
            return false
        }
        self.length = length + Int64(text.count)
        return true
    }

    /// Replaces the file with a text; syncs it where the previous content may be synced.
    mutating func replace(
        by text: [UInt8],
        _ name: String,
        in folder: Folder,
        isDurable: Bool
    ) throws(SystemError) {
        let isDurable = isDurable || isSettled
        try OutputFile.replacePrivate(name, in: folder, with: text.span, isDurable: isDurable)
        length = Int64(text.count)
        isSettled = isDurable
    }
}
