package import JSON

/// A value that a task extracts from its response for other tasks.
package struct Capture: Sendable, Hashable {
    /// The value's place in the response.
    package enum Source: Sendable, Hashable {
        /// A string, number or boolean in a JSON body.
        case json(JSONPointer)
        /// The first field line of a name.
        case header(String)
        /// The first match of a PCRE2 pattern in the body: its first group, or the whole match
        /// without groups.
        case regex(String)
    }

    package var name: String
    package var source: Source

    package init(_ name: String, from source: Source) {
        self.name = name
        self.source = source
    }

    /// Whether the value comes from the body.
    package var isAboutBody: Bool {
        if case .header = source { false } else { true }
    }
}

/// A captured value.
package struct CapturedValue: Sendable, Hashable {
    /// The value's type in the response; fields and matches are strings.
    package enum Kind: Sendable, Hashable {
        case string
        /// As spelled in the JSON body.
        case number
        /// `true` or `false`.
        case bool
    }

    /// The longest text, in UTF-8 bytes.
    package static let maximumSize = 64 << 10

    /// The name of the capture.
    package var name: String
    package var text: String
    package var kind: Kind

    package init(_ name: String, _ text: String, _ kind: Kind = .string) {
        self.name = name
        self.text = text
        self.kind = kind
    }
}

/// The captured values of tasks, by position in the plan.
package typealias CapturedValues = [Int: [CapturedValue]]
