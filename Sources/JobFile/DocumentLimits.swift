/// What a job file may demand at most; beyond it there is an error at the place instead of memory
/// and time.
package enum DocumentLimits {
    /// Bytes of input: 64 MiB.
    package static let bytes = 64 << 20
    /// Collections inside one another, aliases followed; the outermost counts.
    package static let nesting = 64
    /// Keys, values, sequences and mappings, every alias counted as all that it stands for.
    package static let nodes = 4_000_000
    /// Bytes of all texts, every alias counted as all that it stands for: 256 MiB.
    package static let expandedBytes = 256 << 20
    /// `%TAG` lines.
    package static let tagDirectives = 16
    /// Faults listed before the rest of the file is given up.
    package static let diagnostics = 1_000
}
