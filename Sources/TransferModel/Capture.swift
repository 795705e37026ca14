package import JSON

/// A value that a task takes from its response, for the tasks that need it.
package struct Capture: Sendable, Hashable {
    /// Where in the response the value stands.
    package enum Source: Sendable, Hashable {
        /// A text, number or truth value of a JSON body.
        case json(JSONPointer)
        /// The first field line of that name.
        case header(String)
        /// The first match of a pattern of PCRE2 in the body: its first group, or all of it when it
        /// has none.
        case regex(String)
    }

    package var name: String
    package var source: Source

    package init(_ name: String, from source: Source) {
        self.name = name
        self.source = source
    }

    /// Whether the value stands in the body.
    package var isAboutBody: Bool {
        if case .header = source { false } else { true }
    }
}

/// A value that was captured.
package struct CapturedValue: Sendable, Hashable {
    /// What the value was in its response; fields and matches are strings.
    package enum Kind: Sendable, Hashable {
        case string
        /// In the spelling of JSON.
        case number
        /// `true` or `false`.
        case bool
    }

    /// The longest text, in bytes of UTF-8.
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

/// What tasks have captured, by their positions in the plan.
package typealias CapturedValues = [Int: [CapturedValue]]
