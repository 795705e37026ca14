/// The limits of a job file; exceeding one is an error at that place and costs no memory or time.
package enum DocumentLimits {
    /// The limit of the input, 64 MiB, in bytes.
    package static let bytes = 64 << 20
    /// Nested collections, following aliases and counting the outermost.
    package static let nesting = 64
    /// Keys, values, sequences and mappings, with the expansion of every alias.
    package static let nodes = 4_000_000
    /// The limit of all texts with the expansion of every alias, 256 MiB, in bytes.
    package static let expandedBytes = 256 << 20
    /// `%TAG` lines.
    package static let tagDirectives = 16
    /// The number of problems after which the rest of the file is skipped.
    package static let diagnostics = 1_000
}

/// How much of `DocumentLimits` texts take, with the expansion of every alias.
package struct DocumentSize: Sendable {
    /// Keys, values, sequences and mappings.
    var values = 0
    /// Bytes of all their texts.
    var textBytes = 0

    /// The size of no text.
    package init() {}
}
