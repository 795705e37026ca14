internal import TransferModel

/// What is to become of a response, decided when its head is whole.
enum ResponseVerdict {
    /// The body is what was asked for.
    case accept
    /// Another request follows; the body is passed over.
    case redirect
    /// The same request follows with an answer to the challenge; the body is passed over.
    case challenge(Authentication.Answer)
    /// The same request follows without having asked first, which the server cannot do; the body is
    /// passed over.
    case sendUnasked
    /// Another request of a resumable upload follows; the body is passed over.
    case proceed
    /// A stored response takes its place; the body is passed over.
    case stored
    /// The body is not wanted; a little of it is kept for the message.
    case refuse(TransferFailure)

    /// Whether another request follows, so that nobody looks at the body.
    var isPassedOver: Bool {
        switch self {
        case .redirect, .challenge, .sendUnasked, .stored, .proceed: true
        case .accept, .refuse: false
        }
    }

    /// Judges a head, in the order in which results are checked: protocol, status, MIME type.
    ///
    /// - Parameters:
    ///   - head: The final response's head.
    ///   - request: The request that it answers.
    ///   - expectation: What the task accepts.
    ///   - redirects: Whether a redirect is followed or is the result.
    ///   - isRest: Whether it is the rest of a body, and together with what is there the answer
    ///     200.
    ///   - checks: Every check that ran is appended.
    /// - Returns: What becomes of the body.
    static func judge(
        _ head: ResponseHead,
        of request: RequestSpec,
        expectation: Expectation,
        redirects: RedirectRule,
        isRest: Bool = false,
        checks: inout [TaskRecord.Check]
    ) -> ResponseVerdict {
        if let violation = unaskedStatus(head.statusCode, of: request) {
            return .refuse(
                TransferFailure(kind: .protocolViolation, phase: .receive, detail: violation)
            )
        }
        if redirects.follow != .never, isRedirect(head) { return .redirect }

        checks.reserveCapacity(2)
        checks.append(TaskRecord.Check(.clientError, passed: true))
        let isExpected = expectation.statusCodes.contains {
            $0.contains(head.statusCode) || isRest && $0.contains(200)
        }
        checks.append(
            TaskRecord.Check(
                .statusCode,
                passed: isExpected,
                expected: describe(expectation.statusCodes),
                actual: String(head.statusCode)
            )
        )
        guard isExpected else { return .refuse(statusFailure(head)) }
        guard !expectation.mimeTypes.isEmpty else { return .accept }

        let mimeType = head.mimeType
        let matches = expectation.mimeTypes.contains { Self.matches($0, mimeType) }
        checks.append(
            TaskRecord.Check(
                .mimeType,
                passed: matches,
                expected: expectation.mimeTypes.joined(separator: ", "),
                actual: mimeType
            )
        )
        guard matches else { return .refuse(mimeTypeFailure(head, expectation)) }
        return .accept
    }

    /// Statuses that redirect, and a `Location` to redirect to (RFC 9110 §15.4).
    private static func isRedirect(_ head: ResponseHead) -> Bool {
        switch head.statusCode {
        case 301, 302, 303, 307, 308: head.fields["location"] != nil
        default: false
        }
    }

    /// A partial or unmodified answer to a request that asked for neither (RFC 9110 §15.3.7,
    /// §15.4.5).
    private static func unaskedStatus(_ status: Int, of request: RequestSpec) -> String? {
        func asks(_ names: Set<String>) -> Bool {
            request.headers.contains { names.contains($0.name.lowercased()) }
        }
        switch status {
        case 206 where !asks(["range"]):
            return "the server sent a part (206) that was not asked for"
        case 304 where !asks(["if-none-match", "if-modified-since", "if-match"]):
            return "the server answered 304 to a request without a condition"
        default:
            return nil
        }
    }

    private static func matches(_ pattern: String, _ mimeType: String?) -> Bool {
        guard let mimeType else { return false }
        if pattern.hasSuffix("/*") { return mimeType.hasPrefix(pattern.dropLast()) }
        return pattern == mimeType
    }

    static func statusFailure(_ head: ResponseHead) -> TransferFailure {
        var failure = TransferFailure(
            kind: .httpStatus,
            phase: .receive,
            detail: "the server answered \(head.statusCode)"
        )
        failure.httpStatus = head.statusCode
        failure.urlError = .badServerResponse
        return failure
    }

    private static func mimeTypeFailure(
        _ head: ResponseHead,
        _ expectation: Expectation
    ) -> TransferFailure {
        let wanted = expectation.mimeTypes.joined(separator: " or ")
        var failure = TransferFailure(
            kind: .mimeType,
            phase: .receive,
            detail: "the server sent \(head.mimeType ?? "no Content-Type") instead of \(wanted)"
        )
        failure.httpStatus = head.statusCode
        return failure
    }

    private static func describe(_ ranges: [ClosedRange<Int>]) -> String {
        // What nearly all expect, without building it anew each time.
        if ranges.count == 1, ranges[0] == 200...299 { return "200-299" }
        return ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }.joined(separator: ", ")
    }
}
