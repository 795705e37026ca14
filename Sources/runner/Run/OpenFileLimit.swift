import SystemKit
import TransferModel

/// The relation between open files and concurrent tasks: a connection and a file for each, and some
/// for the rest.
enum OpenFileLimit {
    private static let spareFiles = 64

    /// The number of open files that so many concurrent tasks need.
    static func openFiles(for tasks: Int) -> Int { tasks * 2 + spareFiles }

    /// The number of concurrent tasks that so many open files allow.
    static func concurrentTasks(withOpenFiles count: Int) -> Int { (count - spareFiles) / 2 }

    /// Raises the limit of this process for the tasks of a run.
    ///
    /// - Throws: `RunObstacle` when the hard limit is too low.
    static func raise(for schedule: ScheduleConfiguration) throws(RunObstacle) {
        let needed = openFiles(for: schedule.maxConcurrentTasks)
        guard ProcessContext.allowOpenFiles(needed) >= needed else {
            throw RunObstacle(
                "\(schedule.maxConcurrentTasks) concurrent tasks need \(needed) open files (ulimit -n)"
            )
        }
    }
}
