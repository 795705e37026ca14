package import JSON

/// The requirements that a successful response must meet.
package struct Expectation: Sendable, Hashable {
    /// A required value in a JSON body.
    package struct JSONValueAt: Sendable, Hashable {
        /// The place of the value in the body (RFC 6901).
        package var pointer: JSONPointer
        /// nil when any value will do.
        package var value: JSONValue?

        /// Creates a requirement; without `value` any value at `pointer` meets it.
        package init(_ pointer: JSONPointer, value: JSONValue? = nil) {
            self.pointer = pointer
            self.value = value
        }
    }

    /// Inclusive ranges of status codes, 100 to 599.
    package var statusCodes = anySuccess
    /// Accepted MIME types without parameters, in lower case; empty means any.
    ///
    /// `type/*` matches a whole type.
    package var mimeTypes: [String] = []
    /// The required text encoding of the body; nil when the body need not be text.
    package var textEncoding: TextEncoding?
    /// The largest body, bytes; nil for no limit.
    package var maximumSize: Int64?
    /// The required fields; the value `*` accepts any value.
    package var headers: [HeaderField] = []
    /// The required values in a JSON body; empty to require JSON only, nil to accept any body.
    package var json: [JSONValueAt]?
    /// Values that the response must have, because later tasks use them.
    package var captures: [Capture] = []

    // Made once: an expectation is copied for every task.
    private static let anySuccess = [200...299]

    /// Creates the default expectation: a status of 200 to 299 and any body.
    package init() {}

    /// Whether the expectation concerns the body.
    package var isAboutBody: Bool { textEncoding != nil || maximumSize != nil || looksIntoBody }

    /// Whether the check reads the body's content, which is then kept until it is complete.
    package var looksIntoBody: Bool { json != nil || captures.contains(where: \.isAboutBody) }

    /// Whether the task looks into the response, which should then be the server's answer of today.
    package var looksIntoResponse: Bool { json != nil || !headers.isEmpty || !captures.isEmpty }

    /// Whether the body must be JSON.
    package var needsJSON: Bool {
        json != nil || captures.contains { if case .json = $0.source { true } else { false } }
    }
}
