package import JSON

/// What a response must look like to count as a success.
package struct Expectation: Sendable, Hashable {
    /// What a value of a JSON body must be.
    package struct JSONValueAt: Sendable, Hashable {
        package var pointer: JSONPointer
        /// nil when it only has to be there.
        package var value: JSONValue?

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
    /// How the body must be encoded; nil when it need not be text.
    package var textEncoding: TextEncoding?
    /// The most bytes that the body may have; nil means any number.
    package var maximumSize: Int64?
    /// Fields that must be there with that value; `*` stands for any.
    package var headers: [HeaderField] = []
    /// Values of a JSON body; empty when it only has to be JSON, nil when it need not be.
    package var json: [JSONValueAt]?
    /// Values that the response must have, because later tasks use them.
    package var captures: [Capture] = []

    // Made once: an expectation is copied for every task.
    private static let anySuccess = [200...299]

    package init() {}

    /// Whether something is expected of the body.
    package var isAboutBody: Bool { textEncoding != nil || maximumSize != nil || looksIntoBody }

    /// Whether something is expected of what stands in the body, which is then kept until it is
    /// whole.
    package var looksIntoBody: Bool { json != nil || captures.contains(where: \.isAboutBody) }

    /// Whether the body must be JSON.
    package var needsJSON: Bool {
        json != nil || captures.contains { if case .json = $0.source { true } else { false } }
    }
}

/// How text is written in bytes, by its preferred MIME name (IANA character sets).
package enum TextEncoding: String, Sendable, Hashable, CaseIterable {
    case utf8 = "utf-8"
    case ascii = "us-ascii"
    case latin1 = "iso-8859-1"

    /// The encoding of that name, capitals aside; the usual other names are understood too.
    package init?(charset: String) {
        switch charset.lowercased() {
        case "utf-8", "utf8": self = .utf8
        case "us-ascii", "ascii": self = .ascii
        case "iso-8859-1", "latin1": self = .latin1
        default: return nil
        }
    }
}
