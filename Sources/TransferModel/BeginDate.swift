/// When a task may begin at the earliest.
package enum BeginDate: Sendable, Hashable {
    /// By the wall clock, also when that is set meanwhile.
    case date(Timestamp)
    /// So long after the run's start, by the monotonic clock.
    case delay(Duration)
}
