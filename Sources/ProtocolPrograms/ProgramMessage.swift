package import TransferModel

/// The response that a program gives to a request (`URLProtocolClient.urlProtocol(_:didReceive:)`).
package struct ProgramResponse: Sendable, Hashable {
    /// 200 to 599.
    package var statusCode: Int
    /// At most `ConversationLimits.mostFields`.
    package var headers: [HeaderField]
    /// The length of the body, bytes; nil when the program does not know it.
    package var expectedContentLength: Int64?
}

/// The redirect with which a program answers (`URLProtocolClient.urlProtocol(_:wasRedirectedTo:)`).
package struct ProgramRedirect: Sendable, Hashable {
    /// One of 301, 302, 303, 307 and 308.
    package var statusCode: Int
    /// The absolute URL of the next request.
    package var url: String
    /// The other fields of the redirect.
    package var headers: [HeaderField]
}

/// The failure that a program reports (`URLProtocolClient.urlProtocol(_:didFailWithError:)`).
package struct ProgramFailure: Sendable, Hashable {
    /// The kind, by which the runner decides about a retry.
    package var kind: TransferFailure.Kind
    /// One sentence for the user, on one line.
    package var detail: String
    /// Whether a retry cannot help.
    package var isPermanent: Bool

    /// The kinds that a program may report.
    package static let kinds: [TransferFailure.Kind] = [
        .resolve, .connect, .tls, .timeout, .stalled, .reset, .protocolViolation, .truncated,
        .localIO,
    ]
}

/// Why the output of a program is not a conversation.
package struct ProgramFault: Error, Sendable, Hashable {
    /// The number of the faulty message, from 1.
    package var message: Int
    /// The fault, in words without a final full stop.
    package var reason: String
}
