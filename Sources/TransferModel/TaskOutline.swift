/// The known properties of a task that is incomplete, because values captured by other tasks are
/// missing.
package struct TaskOutline: Sendable, Hashable {
    /// Position in the plan's list of sessions; nil if unknown.
    package var session: Int?
    /// The method of its request, such as `GET`.
    package var method: String
    /// As in the job file if a part is unknown.
    package var url: String
    /// The task's `description` in the job file; nil without one.
    package var description: String?
    /// The earliest start of the task; nil without one.
    package var earliestBeginDate: BeginDate?
    /// Where the job file declares the task.
    package var source: SourceLocation

    /// Creates the outline of an incomplete task.
    package init(
        session: Int?,
        method: String,
        url: String,
        description: String?,
        earliestBeginDate: BeginDate? = nil,
        source: SourceLocation
    ) {
        self.session = session
        self.method = method
        self.url = url
        self.description = description
        self.earliestBeginDate = earliestBeginDate
        self.source = source
    }
}

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
