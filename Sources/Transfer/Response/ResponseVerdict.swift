internal import SystemKit
internal import TransferModel

/// The decision about a response, made when its head is complete.
enum ResponseVerdict {
    /// The body is the requested one.
    case accept
    /// Another request follows; the body is skipped.
    case redirect
    /// The same request follows with credentials for the challenge; the body is skipped.
    case challenge(Authentication.Answer)
    /// The same request follows without `Expect: 100-continue`, which the server does not support;
    /// the body is skipped.
    case sendUnasked
    /// Another request of a resumable upload follows; the body is skipped.
    case proceed
    /// A stored response replaces this one; the body is skipped.
    case stored
    /// The body is unwanted; a little of it is kept for the message.
    indirect case refuse(TransferFailure)

    /// Whether the body is skipped.
    var isPassedOver: Bool {
        switch self {
        case .redirect, .challenge, .sendUnasked, .stored, .proceed: true
        case .accept, .refuse: false
        }
    }

    /// Whether libcurl answers the challenge within its transfer.
    var isLibraryChallenge: Bool {
        if case .challenge(.byLibrary) = self { true } else { false }
    }

    /// Judges a head in the order of the checks: protocol, status, MIME type.
    ///
    /// - Parameters:
    ///   - head: The final response's head.
    ///   - request: The request of the response.
    ///   - expectation: The accepted responses.
    ///   - redirects: Whether redirects are followed or are the result.
    ///   - isRest: Whether the response has the rest of a body and, with the existing part, counts
    ///     as 200.
    ///   - hasParts: Whether the media types of its parts are checked, not the response's type.
    ///   - checks: Receives every check that ran.
    /// - Returns: The decision about the body.
    static func judge(
        _ head: ResponseHead,
        of request: RequestSpec,
        expectation: Expectation,
        redirects: RedirectRule,
        isRest: Bool = false,
        hasParts: Bool = false,
        checks: inout [TaskRecord.Check]
    ) -> ResponseVerdict {
        if let violation = unaskedStatus(head.statusCode, of: request) {
            return .refuse(
                TransferFailure(kind: .protocolViolation, phase: .receive, detail: violation)
            )
        }
        if isRedirect(head), redirects.leadsOn(head, from: request.url) { return .redirect }

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
        guard isExpected else {
            return .refuse(statusFailure(head, expectation, from: request.url))
        }
        if hasParts { return .accept }
        return mimeTypeFailure(head, expectation, &checks).map { .refuse($0) } ?? .accept
    }

    /// Checks the media type of a response or of a part of one; nil for an accepted type.
    static func mimeTypeFailure(
        _ head: ResponseHead,
        _ expectation: Expectation,
        _ checks: inout [TaskRecord.Check]
    ) -> TransferFailure? {
        guard !expectation.mimeTypes.isEmpty else { return nil }
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
        return matches ? nil : mimeTypeFailure(head, expectation)
    }

    /// Whether the status is a redirect with a `Location` (RFC 9110 §15.4).
    private static func isRedirect(_ head: ResponseHead) -> Bool {
        switch head.statusCode {
        case 301, 302, 303, 307, 308: head.fields["location"] != nil
        default: false
        }
    }

    /// The fault of a partial or unmodified response that was not requested (RFC 9110 §15.3.7,
    /// §15.4.5).
    private static func unaskedStatus(_ status: Int, of request: RequestSpec) -> String? {
        func asks(_ names: Set<String>) -> Bool {
            request.headers.contains { names.contains($0.name.lowercased()) }
        }
        switch status {
        case 206 where !asks(["range"]):
            return "the server sent a part (206) to a request without a range"
        case 304 where !asks(["if-none-match", "if-modified-since", "if-match"]):
            return "the server answered 304 to a request without a condition"
        default:
            return nil
        }
    }

    private static func matches(_ pattern: String, _ mimeType: String?) -> Bool {
        guard let mimeType else { return false }
        if pattern.hasByteSuffix("/*") { return mimeType.hasBytePrefix(pattern.dropLast()) }
        return pattern == mimeType
    }

    /// The failure of a status that the task does not expect, or cannot use.
    static func statusFailure(
        _ head: ResponseHead,
        _ expectation: Expectation? = nil,
        from url: TransferURL? = nil
    ) -> TransferFailure {
        var failure = TransferFailure(
            kind: .httpStatus,
            phase: .receive,
            detail: "the server answered \(StatusWords.of(head.statusCode))"
        )
        failure.httpStatus = head.statusCode
        failure.urlError = .badServerResponse
        if let expectation, head.statusCode < 400 {
            failure.explainStatus(head, expectation, from: url)
        }
        return failure
    }

    /// The failure of a server that accepts a request without its body.
    static func emptyRequestFailure(_ head: ResponseHead) -> TransferFailure {
        var failure = statusFailure(head)
        failure.help =
            "the server accepted a request without the body, which was sent only to get a challenge"
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
        // The usual range, without building its text each time.
        if ranges.count == 1, ranges[0] == 200...299 { return "200-299" }
        return texts(ranges).joined(separator: ", ")
    }

    fileprivate static func texts(_ ranges: [ClosedRange<Int>]) -> [String] {
        ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }
    }
}

extension TransferFailure {
    /// Explains a status that is no error, but not the expected one.
    fileprivate mutating func explainStatus(
        _ head: ResponseHead,
        _ expectation: Expectation,
        from url: TransferURL?
    ) {
        let isRedirect = [301, 302, 303, 307, 308].contains(head.statusCode)
        let location = head.fields["location"]
        if isRedirect, location == nil { detail += " without a Location" }
        if isRedirect, let location, let target = url?.resolving(location),
            !target.hasUserInformation
        {
            detail += " to \(RedirectDecision.shown(target))"
        }
        guard expectation.statusCodes != Expectation().statusCodes else {
            if isRedirect {
                help =
                    location == nil
                    ? "check the URL: the server does not say where the resource is"
                    : "the job does not follow this redirect: see `redirects`, or add the status "
                        + "to `expect.statusCode`"
            }
            return
        }
        var wanted = ResponseVerdict.texts(expectation.statusCodes)
        guard let last = wanted.popLast() else { return }
        detail +=
            " instead of " + (wanted.isEmpty ? "" : wanted.joined(separator: ", ") + " or ") + last
        help =
            expectation.statusCodes == [101...101]
            ? "check the URL: the server opens no WebSocket there"
            : "correct `expect.statusCode`, or find out why the server answers differently"
    }
}
