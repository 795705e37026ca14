internal import TransferModel

/// A request for a part of a file (RFC 9110 §14.2).
struct SegmentRequest: Sendable, Hashable {
    /// The offsets of the bytes; not empty.
    let range: Range<Int64>
    /// The length of the complete file.
    let total: Int64
    /// The strong validator of the file at this server; nil before a mirror's first response.
    let validator: ResumeValidator?

    /// The request's fields: with another version of the file the server sends all of it (RFC 9110
    /// §13.1.5).
    var fields: [HeaderField] {
        let value = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        let field = HeaderField(name: "Range", value: value)
        guard let validator else { return [field] }
        return [field, HeaderField(name: "If-Range", value: validator.text)]
    }

    /// Judges a response's head.
    ///
    /// - Parameters:
    ///   - head: The final response's head.
    ///   - contentLength: The announced length of its body.
    /// - Returns: The meaning of the response.
    func judge(_ head: ResponseHead, contentLength: Int64?) -> SegmentAnswer {
        let offer = ResumeOffer(offset: range.lowerBound, total: total, validator: validator)
        switch ResumeAnswer.judge(head, contentLength: contentLength, to: offer) {
        case .rest(let end) where end <= range.upperBound: return .part(end: end)
        case .rest: return .unusable("a part with more than the range")
        case .whole: return .unusable("the status 200")
        case .unusable(let reason): return .unusable(reason)
        case .unrelated: return .refusal
        }
    }
}

/// The meaning of the response to a request for a segment, decided before the first byte of its
/// body.
enum SegmentAnswer: Hashable {
    /// The requested bytes up to but not including the offset `end`; they may be fewer than
    /// requested.
    case part(end: Int64)
    /// Anything else that concerns the range, for that reason: the whole file, a part that cannot
    /// be shown to be one of the same file, a refused range.
    case unusable(String)
    /// A response that does not concern the range, such as a failure.
    case refusal
}
