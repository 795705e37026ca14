package import JSON
internal import SystemKit

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

/// The pairs of tasks in which one uses values that the other captures.
package struct CaptureUses: Sendable, Hashable {
    /// A task that uses captured values and the task that captures them, as positions in the plan.
    package struct Pair: Sendable, Hashable {
        /// The task that inserts the value.
        package var user: Int
        /// The task that captures the value.
        package var source: Int

        /// Creates a pair of two positions in the plan.
        package init(user: Int, source: Int) {
            self.user = user
            self.source = source
        }
    }

    /// Without duplicates, in order of `user`.
    package private(set) var pairs: [Pair] = []

    /// Creates a list without pairs.
    package init() {}

    /// Whether no task uses a value that another captures.
    package var isEmpty: Bool { pairs.isEmpty }

    /// Adds a pair unless it is known.
    ///
    /// Its `user` is at least that of the last pair.
    package mutating func append(_ pair: Pair) {
        let known = pairs.reversed().prefix { $0.user == pair.user }
        if !known.contains(pair) { pairs.append(pair) }
    }

    /// The tasks whose captured values a task uses.
    package func sources(of user: Int) -> some Collection<Int> {
        let first = pairs.indices.partitioningIndex { pairs[$0].user >= user }
        return pairs[first...].prefix { $0.user == user }.lazy.map(\.source)
    }
}
