internal import SystemKit
internal import TransferModel

/// The proof that a server's bytes belong to the same representation as the bytes in the part: a
/// strong validator (RFC 9110 §8.8.1).
enum ResumeValidator: Sendable, Hashable {
    /// The tag with its quotes.
    case entityTag(String)
    /// The date as the server wrote it.
    case lastModified(String)
    /// The modification time of a file at a file server, as an HTTP date, and with it the size that
    /// every part names: the facts that FTP and SFTP give about a file.
    case sizeAndModification(String)

    /// The least age of a date at the time of the response, seconds, so that the file cannot have
    /// changed twice within it (RFC 9110 §8.8.2.2).
    private static let leastAge: Int64 = 60

    /// The strong validator of a response; nil when it has none.
    ///
    /// A date replaces only a missing `ETag`: a weak tag means that the bytes may differ.
    init?(_ head: ResponseHead, now: Timestamp) {
        let tags = head.fields.values(of: "etag")
        guard tags.isEmpty else {
            guard tags.count == 1, Self.isStrong(tags[0]) else { return nil }
            self = .entityTag(tags[0])
            return
        }
        let dates = (head.fields.values(of: "last-modified"), head.fields.values(of: "date"))
        guard dates.0.count == 1, dates.1.count == 1,
            let modified = HTTPDate.parse(dates.0[0], now: now),
            let date = HTTPDate.parse(dates.1[0], now: now),
            date.microseconds(since: modified) >= Self.leastAge * 1_000_000
        else { return nil }
        self = .lastModified(dates.0[0])
    }

    /// The validator of a file at a file server; nil when it has no usable time.
    ///
    /// The server names no date of its own. A time within the last minute by this machine's clock
    /// is no validator, because the file may change twice within the second that it names.
    init?(ofFile head: ResponseHead, now: Timestamp) {
        let dates = head.fields.values(of: "last-modified")
        guard dates.count == 1, let modified = HTTPDate.parse(dates[0], now: now),
            now.microseconds(since: modified) >= Self.leastAge * 1_000_000
        else { return nil }
        self = .sizeAndModification(dates[0])
    }

    /// Whether two files of one length cannot have the validator by chance: an entity tag with a
    /// hash or a GUID, not a counter or a time.
    var isUnique: Bool {
        guard case .entityTag(let tag) = self else { return false }
        var (longest, stretch, count) = (0, 0, 0)
        var hasLetter = false
        for byte in tag.utf8 {
            let isDigit = byte.hexadecimalValue != nil
            // Azure writes `0x8D4BCC2E4835CD0`.
            stretch = isDigit || byte == UInt8(ascii: "x") ? stretch + 1 : 0
            longest = max(longest, stretch)
            if isDigit {
                count += 1
                hasLetter = hasLetter || byte > UInt8(ascii: "9")
            }
        }
        return hasLetter && count >= 16 && (longest >= 16 || count >= 32)
    }

    /// The value for `If-Range` (RFC 9110 §13.1.5).
    var text: String {
        switch self {
        case .entityTag(let text), .lastModified(let text), .sizeAndModification(let text): text
        }
    }

    /// The field of a request that the server refuses when its file has another validator (RFC 9110
    /// §13.1.1, §13.1.4).
    var preconditionName: String {
        switch self {
        case .entityTag: "If-Match"
        case .lastModified, .sizeAndModification: "If-Unmodified-Since"
        }
    }

    /// Whether a response names the validator.
    func isStated(in head: ResponseHead) -> Bool {
        switch self {
        case .entityTag: matches(head)
        case .lastModified, .sizeAndModification:
            matches(head) && head.fields["last-modified"] != nil && head.fields["etag"] == nil
        }
    }

    /// Whether a part may belong to the same representation.
    ///
    /// The part must repeat an `ETag`, but it may omit `Last-Modified` (RFC 9110 §15.3.7).
    func matches(_ head: ResponseHead) -> Bool {
        switch self {
        case .entityTag(let tag): head.fields.values(of: "etag") == [tag]
        case .lastModified(let date):
            head.fields.values(of: "last-modified").allSatisfy { $0 == date }
        case .sizeAndModification(let date): head.fields.values(of: "last-modified") == [date]
        }
    }

    /// An entity tag of visible ASCII without the mark of a weak one (RFC 9110 §8.8.3).
    private static func isStrong(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"")
        else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 }
    }
}
