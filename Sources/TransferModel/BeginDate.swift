/// The earliest time at which a task may begin.
package enum BeginDate: Sendable, Hashable {
    /// By the wall clock, even if it is set meanwhile.
    case date(Timestamp)
    /// The time since the run's start, by the monotonic clock.
    case delay(Duration)

    /// The date by the clock of a run.
    package func timestamp(of clock: RunClock) -> Timestamp {
        switch self {
        case .date(let date): date
        case .delay(let delay): clock.timestamp(of: clock.monotonic + delay)
        }
    }
}
