internal import SystemKit
internal import TransferModel

/// Checks an arriving body against the task's expectations: its size, presence and encoding.
///
/// Memory does not grow with the body, unless the complete body must be examined: then up to
/// `keptLimit` bytes are kept.
struct BodyCheck {
    /// The largest body whose JSON or captured text is examined.
    static let keptLimit: Int64 = 16 << 20

    private let expectation: Expectation
    private let limit: Int64?
    private var text: TextCheck?
    /// The bytes of the body so far.
    private var count: Int64
    /// The body so far, if it must be examined.
    private(set) var kept: [UInt8]?

    /// nil without expectations for the body, or when the response cannot have one.
    ///
    /// Responses to HEAD and the statuses 204, 205 and 304 have no content (RFC 9110 §6.4.1).
    /// `start` is the length of the part from earlier attempts.
    init?(
        _ expectation: borrowing Expectation,
        head: ResponseHead,
        method: String,
        start: Int64 = 0
    ) {
        guard expectation.isAboutBody, method != "HEAD", !head.hasNoContent else { return nil }
        self.expectation = copy expectation
        count = start
        let keptLimit = expectation.looksIntoBody ? Self.keptLimit : nil
        limit = [expectation.maximumSize, keptLimit].compactMap(\.self).min()
        text = expectation.textEncoding.map { TextCheck($0, charset: head.charset) }
        if keptLimit != nil { kept = [] }
    }

    /// Whether the check needs the bytes, not only the length.
    var looksAtBytes: Bool { text != nil || kept != nil }

    /// Takes the announced length; returns the findings that end the transfer.
    mutating func announce(_ length: Int64?) -> Findings? {
        guard let length else { return nil }
        if let limit, length > limit - count {
            return tooLarge("Content-Length \(length)", limit)
        }
        kept?.reserveCapacity(Int(length))
        return nil
    }

    /// Takes a piece; returns the findings that end the transfer.
    mutating func take(_ bytes: Span<UInt8>) -> Findings? {
        count += Int64(bytes.count)
        if let limit, count > limit { return tooLarge("\(count) bytes or more", limit) }
        if let fault = text?.take(bytes) { return undecodable(fault) }
        kept?.append(bytes)
        return nil
    }

    /// Judges the complete body.
    mutating func end() -> Findings {
        var findings = Findings()
        if count == 0, expectation.textEncoding != nil || kept != nil {
            return Self.empty("0 bytes", "the response has no body")
        }
        if let fault = text?.end() { return undecodable(fault) }
        findings.pass(.data)
        // JSON decoding comes later, as part of the same check.
        if text != nil, !expectation.needsJSON { findings.pass(.decoding) }
        return findings
    }

    /// The failure of a download whose status excludes content.
    ///
    /// nil when the task expects exactly that status; a wider range does not count.
    static func missingContent(_ head: ResponseHead, _ expectation: Expectation) -> Findings? {
        let status = head.statusCode
        guard head.hasNoContent, !expectation.statusCodes.contains(status...status) else {
            return nil
        }
        return empty("the status \(status)", "the server answered \(status), which has no content")
    }

    private static func empty(_ actual: String, _ detail: String) -> Findings {
        var findings = Findings()
        findings.fail(
            .data,
            expected: "a body",
            actual: actual,
            .content,
            detail,
            .zeroByteResource
        )
        return findings
    }

    private func tooLarge(_ actual: String, _ limit: Int64) -> Findings {
        var findings = Findings()
        let what =
            expectation.maximumSize == limit ? "`maximumSize`" : "the limit for checks and captures"
        findings.fail(
            .data,
            expected: "at most \(limit) bytes",
            actual: actual,
            .tooLarge,
            "the body is larger than \(what): more than \(limit) bytes",
            .dataLengthExceedsMaximum
        )
        return findings
    }

    private func undecodable(_ fault: String) -> Findings {
        let expected = expectation.textEncoding?.rawValue ?? ""
        var findings = Findings()
        findings.pass(.data)
        findings.fail(
            .decoding,
            expected: expected,
            actual: fault,
            .content,
            "\(fault), \(expected) is expected",
            .cannotDecodeContentData
        )
        return findings
    }
}
