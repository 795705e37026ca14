/// How a run's tasks are started and when it ends early.
package struct ScheduleConfiguration: Sendable, Hashable {
    /// Tasks that may run at the same time, 1 to 10,000.
    package var maxConcurrentTasks = 16
    /// Whether the first failed required task keeps the others from starting.
    package var failFast = false
    /// From the run's start: what has not ended by then is given up; nil means no limit.
    package var deadline: Duration?
    package var durability: Durability = .file
    /// The run waits for a random part of it before anything is sent.
    package var startJitter: Duration = .zero
    /// When tasks may start; nil for always.
    package var window: DailyWindow?
    /// What happens while another run of the job is under way; nil lets them run side by side.
    package var lock: LockPolicy?

    package init() {}
}

/// What is forced to the disk before a file counts as published.
package enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the kernel writes when it likes.
    case none
    /// The file's content.
    case file
    /// The file's content and the folder that names it.
    case full
}

/// What a run does when another one of its job has the lock.
package enum LockPolicy: Sendable, Hashable {
    /// It ends as a failure.
    case fail
    /// It ends as a success.
    case skip
    /// It waits for the other one to end, for so long; nil waits as long as it takes.
    case wait(Duration?)
}
