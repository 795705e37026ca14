/// Every code about a lock file; stable, and the whole list.
package enum LockCode: String, Sendable, Hashable, CaseIterable {
    case differs = "job.lock-differs"
    case unreadable = "job.bad-lock"
}
