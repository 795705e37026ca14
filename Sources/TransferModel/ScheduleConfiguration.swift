internal import SystemKit

/// How tasks start, and when a run ends early.
package struct ScheduleConfiguration: Sendable, Hashable {
    /// The most tasks at the same time, 1 to 10,000.
    package var maxConcurrentTasks = 16
    /// Whether the first failed required task prevents further starts.
    package var failFast = false
    /// Measured from the run's start; unfinished tasks are then given up; nil means no limit.
    package var deadline: Duration?
    /// The data that must be on the disk before a file counts as published.
    package var durability: Durability = .file
    /// The run waits for a random part of this time before its first request.
    package var startJitter: Duration = .zero
    /// When tasks may start; nil for always.
    package var window: DailyWindow?
    /// How its limits and those of the sessions count for the shards of a job.
    package var shardLimits = ShardLimits.divide
    /// The action while another run of the job is active; nil lets both run.
    package var lock: LockPolicy?

    /// Creates the default schedule: 16 tasks at a time, no deadline, no window and no lock.
    package init() {}
}

/// How the limits of a job's schedule and sessions count for its shards.
package enum ShardLimits: String, Sendable, Hashable, CaseIterable {
    /// All shards together have them.
    case divide
    /// Each shard has them.
    case each
}

/// The data synced to the disk before a file counts as published.
package enum Durability: String, Sendable, Hashable, CaseIterable {
    /// None: the kernel decides when to write.
    case none
    /// The file's content.
    case file
    /// The file's content and its folder entry.
    case full
}

/// The action when another run of the job has the lock.
package enum LockPolicy: Sendable, Hashable {
    /// End as a failure.
    case fail
    /// End as a success.
    case skip
    /// Wait at most this long for the other run; nil waits without a limit.
    case wait(Duration?)
}

/// A daily period in local time; it spans midnight unless its end is after its start.
package struct DailyWindow: Sendable, Hashable {
    /// The first minute inside, 0 to 1,439 after midnight.
    package var start: Int
    /// The first minute after it, 0 to 1,439 after midnight; midnight is 0.
    package var end: Int

    /// Creates a window from two minutes of the day; equal minutes mean the whole day.
    package init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    /// Whether a minute of the day lies inside.
    package func contains(_ minute: Int) -> Bool {
        start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    /// The job file's notation, such as `01:00-05:00`.
    package var text: String { "\(Self.text(start))-\(Self.text(end))" }

    private static func text(_ minute: Int) -> String {
        "\((minute / 60).padded(to: 2)):\((minute % 60).padded(to: 2))"
    }
}
