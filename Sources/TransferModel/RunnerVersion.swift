/// The version of this runner.
package enum RunnerVersion {
    /// A semantic version.
    package static let current = "0.1.0"
    /// The default `User-Agent`, unless the job file sets another.
    package static let userAgent = "runner/\(current)"
}
