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

    /// The name by which other tasks refer to the value.
    package var name: String
    /// The part of the response that has the value.
    package var source: Source

    /// Creates a capture of the value at `source`.
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
    /// The value as other tasks insert it; at most `maximumSize` bytes.
    package var text: String
    /// Whether the value goes into a JSON body as a string, a number or a boolean.
    package var kind: Kind

    /// Creates a captured value; the caller checks the size of `text`.
    package init(_ name: String, _ text: String, _ kind: Kind = .string) {
        self.name = name
        self.text = text
        self.kind = kind
    }
}

/// The captured values of tasks, by position in the plan.
package typealias CapturedValues = [Int: [CapturedValue]]
