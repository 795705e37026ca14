/// How a task ended.
package enum TaskOutcome: String, Sendable, Hashable, CaseIterable {
    case succeeded
    /// The destination already existed and was kept.
    case unchanged
    case failed
    /// A network policy, a window or missing connectivity prevented its start.
    case deferred
    case cancelled
    /// A task that it needs did not succeed, or its `when` does not hold.
    case skipped
}
