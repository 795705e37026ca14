internal import SystemKit
internal import TransferModel

/// The range that a resuming request asks for: all bytes from an offset on (RFC 9110 §14.2).
struct ResumeOffer: Sendable, Hashable {
    /// The offset of the first missing byte.
    let offset: Int64
    /// The length of the complete file.
    let total: Int64
    /// nil for a mirror, which has its own validators: the file's checksum decides there.
    let validator: ResumeValidator?
    /// Whether the server has dropped the range of an earlier offer because of its `If-Range`.
    var isWithoutIfRange = false

    /// The request's fields: if the validator does not match, the server sends the whole file (RFC
    /// 9110 §13.1.5), or refuses the range.
    var fields: [HeaderField] {
        let range = HeaderField(name: "Range", value: "bytes=\(offset)-")
        guard let validator else { return [range] }
        guard isWithoutIfRange else {
            return [range, HeaderField(name: "If-Range", value: validator.text)]
        }
        return [range, HeaderField(name: validator.preconditionName, value: validator.text)]
    }

    /// The names of all fields that an offer may have.
    static let fieldNames: Set<String> = ["range", "if-range", "if-match", "if-unmodified-since"]

    /// The offer that follows a 200 with the part's own file: some servers drop the range because
    /// of `If-Range`.
    ///
    /// nil for a server without ranges, for another file, and after such an offer.
    func withoutIfRange(
        after head: ResponseHead,
        contentLength: Int64?,
        hasChecksum: Bool
    ) -> ResumeOffer? {
        guard !isWithoutIfRange, let validator, contentLength == total,
            !head.hasContentCoding, head.fields["accept-ranges"]?.lowercased() != "none"
        else { return nil }
        let isSame = validator.isStated(in: head)
        guard isSame || hasChecksum else { return nil }
        return ResumeOffer(
            offset: offset,
            total: total,
            // A checksum vouches for the file of a server whose validators differ.
            validator: isSame ? validator : nil,
            isWithoutIfRange: true
        )
    }
}

/// The meaning of the response to a resuming request, decided before the first byte of its body.
enum ResumeAnswer: Hashable {
    /// The missing bytes up to but not including the offset `end`; they may be fewer than
    /// requested.
    case rest(end: Int64)
    /// The whole file, which replaces the part: the validator did not match, or the server does not
    /// support ranges.
    case whole
    /// A response that cannot continue the part: the whole file is requested without a range.
    case unusable(String)
    /// A response that does not concern the range: a redirect, a challenge, a failure.
    case unrelated

    /// Judges a response's head.
    ///
    /// - Parameters:
    ///   - head: The final response's head.
    ///   - contentLength: The announced length of its body.
    ///   - offer: The requested range.
    /// - Returns: The meaning of the response.
    static func judge(
        _ head: ResponseHead,
        contentLength: Int64?,
        to offer: ResumeOffer
    ) -> ResumeAnswer {
        switch head.statusCode {
        case 200 where head.fields["content-range"] != nil:
            // The field means nothing in a 200 (RFC 9110 §14.4), and its sender may mean a part.
            .unusable("a 200 with a Content-Range")
        case 200: .whole
        case 206: judgePart(head, contentLength, offer)
        // The precondition or the range does not match the server's file (RFC 9110 §15.5.13,
        // §15.5.17).
        case 412, 416: .unusable("the status \(head.statusCode)")
        default: .unrelated
        }
    }

    /// A part must state that it begins where ours ends, and that it belongs to the same whole (RFC
    /// 9110 §15.3.7).
    private static func judgePart(
        _ head: ResponseHead,
        _ contentLength: Int64?,
        _ offer: ResumeOffer
    ) -> ResumeAnswer {
        if head.mimeType?.hasBytePrefix("multipart/") == true { return .unusable("several parts") }
        if head.hasContentCoding { return .unusable("a part of a coded body") }
        let ranges = head.fields.values(of: "content-range")
        guard ranges.count == 1, let range = ContentRange(ranges[0]) else {
            return .unusable("a part without a usable Content-Range")
        }
        guard range.bytes.lowerBound == offer.offset else {
            return .unusable("a part from another position")
        }
        guard range.total == offer.total else { return .unusable("a part of another length") }
        if let validator = offer.validator, !validator.matches(head) {
            return .unusable("a part with another validator")
        }
        // The range is within the whole, so that the addition cannot overflow.
        let end = range.bytes.upperBound + 1
        if let contentLength, contentLength != end - offer.offset {
            return .unusable("a part whose Content-Length is not that of its range")
        }
        return .rest(end: end)
    }
}

extension ResponseHead {
    /// Whether the body is a coding of the file and not the file itself (RFC 9110 §8.4).
    var hasContentCoding: Bool {
        fields.values(of: "content-encoding").contains {
            !$0.isEmpty && $0.lowercased() != "identity"
        }
    }
}

/// A satisfied `Content-Range` of bytes: the range of a part and the length of the whole (RFC 9110
/// §14.4).
struct ContentRange: Hashable {
    /// The offsets of the first and the last byte.
    let bytes: ClosedRange<Int64>
    /// The length of the whole; nil when the server does not know it.
    let total: Int64?

    /// Reads `bytes 5-9/10` and `bytes 5-9/*`; nil for another unit, a range without an end, and a
    /// range outside of the whole.
    init?(_ text: String) {
        let words = text.splitAtBytes(" ", omittingEmpty: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].splitAtBytes("/", omittingEmpty: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].splitAtBytes("-", omittingEmpty: false)
        guard ends.count == 2, let first = Self.position(ends[0]),
            let last = Self.position(ends[1]), first <= last
        else { return nil }
        bytes = first...last
        if parts[1] == "*" {
            total = nil
        } else {
            guard let length = Self.position(parts[1]), last < length else { return nil }
            total = length
        }
    }

    /// Accepts digits only: the conversion of texts to numbers also takes signs.
    private static func position(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }
}
