/// The earliest time at which a task may begin.
package enum BeginDate: Sendable, Hashable {
    /// By the wall clock, even if it is set meanwhile.
    case date(Timestamp)
    /// The time since the run's start, by the monotonic clock.
    case delay(Duration)
}
