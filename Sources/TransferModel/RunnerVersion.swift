/// Which runner this is.
package enum RunnerVersion {
    /// As semantic versioning has it.
    package static let current = "0.1.0"
    /// What requests say of their sender, unless the job file says something else.
    package static let userAgent = "runner/\(current)"
}
