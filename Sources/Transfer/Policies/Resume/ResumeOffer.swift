internal import TransferModel

/// What a request asks for that goes on with a part: all bytes from a position on (RFC 9110 §14.2).
struct ResumeOffer: Sendable, Hashable {
    /// The position of the first byte that is missing.
    let offset: Int64
    /// The length of the whole.
    let total: Int64
    /// nil at a mirror, which has validators of its own: the file's checksum decides there.
    let validator: ResumeValidator?

    /// The request's fields: without the validator's consent the server is to send the whole (RFC
    /// 9110 §13.1.5).
    var fields: [HeaderField] {
        let range = HeaderField(name: "Range", value: "bytes=\(offset)-")
        guard let validator else { return [range] }
        return [range, HeaderField(name: "If-Range", value: validator.text)]
    }
}

/// What the answer to such a request means, decided before the first byte of its body.
enum ResumeAnswer: Hashable {
    /// The bytes that are missing, up to but not including the position `end`: it may be fewer than
    /// were asked for.
    case rest(end: Int64)
    /// Everything, in place of what is there: the validator did not hold, or the server knows no
    /// ranges.
    case whole
    /// Nothing that the part could be gone on with: everything is asked for, without a range.
    case unusable(String)
    /// Not about the range: a redirect, a challenge, a failure.
    case unrelated

    /// Judges a response's head.
    ///
    /// - Parameters:
    ///   - head: The final response's head.
    ///   - contentLength: The announced length of its body.
    ///   - offer: What was asked for.
    /// - Returns: What is to be done.
    static func judge(
        _ head: ResponseHead,
        contentLength: Int64?,
        to offer: ResumeOffer
    ) -> ResumeAnswer {
        switch head.statusCode {
        case 200 where head.fields["content-range"] != nil:
            // It means nothing there (RFC 9110 §14.4), and who sends it may mean a part.
            .unusable("a 200 with a Content-Range")
        case 200: .whole
        case 206: judgePart(head, contentLength, offer)
        // The precondition or the range does not hold for what the server has (RFC 9110 §15.5.13,
        // §15.5.17).
        case 412, 416: .unusable("the status \(head.statusCode)")
        default: .unrelated
        }
    }

    /// A part must say that it begins where ours ends, and that it is of the same whole (RFC 9110
    /// §15.3.7).
    private static func judgePart(
        _ head: ResponseHead,
        _ contentLength: Int64?,
        _ offer: ResumeOffer
    ) -> ResumeAnswer {
        if head.mimeType?.hasPrefix("multipart/") == true { return .unusable("several parts") }
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
        // Within the whole, so that the sum is one.
        let end = range.bytes.upperBound + 1
        if let contentLength, contentLength != end - offer.offset {
            return .unusable("a part whose Content-Length is not that of its range")
        }
        return .rest(end: end)
    }
}

extension ResponseHead {
    /// Whether the body is not the file itself but a coding of it (RFC 9110 §8.4).
    var hasContentCoding: Bool {
        fields.values(of: "content-encoding").contains {
            !$0.isEmpty && $0.lowercased() != "identity"
        }
    }
}
