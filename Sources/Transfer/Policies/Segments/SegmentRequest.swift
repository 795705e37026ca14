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
        switch head.statusCode {
        case 206: judgePart(head, contentLength)
        case 200:
            contentLength == total && !head.hasContentCoding && isSameFile(head)
                ? .whole : .otherFile
        // The file is too short for the range, or has another validator (RFC 9110 §15.5.13,
        // §15.5.17).
        case 412, 416: .otherFile
        default: .refusal
        }
    }

    private func judgePart(_ head: ResponseHead, _ contentLength: Int64?) -> SegmentAnswer {
        let offer = ResumeOffer(offset: range.lowerBound, total: total, validator: validator)
        if isSameFile(head),
            case .rest(let end) = ResumeAnswer.judge(head, contentLength: contentLength, to: offer),
            end <= range.upperBound
        {
            return .part(end: end)
        }
        return showsOtherFile(head) ? .otherFile : .unusable
    }

    private func isSameFile(_ head: ResponseHead) -> Bool {
        validator?.matches(head) ?? true
    }

    /// Whether a part states another length or another validator.
    private func showsOtherFile(_ head: ResponseHead) -> Bool {
        let length = head.fields["content-range"].flatMap { ContentRange($0) }?.total
        if let length, length != total { return true }
        switch validator {
        case .entityTag?: return head.fields["etag"] != nil && !isSameFile(head)
        case .lastModified?, .sizeAndModification?:
            return head.fields["last-modified"] != nil && !isSameFile(head)
        case nil: return false
        }
    }
}
