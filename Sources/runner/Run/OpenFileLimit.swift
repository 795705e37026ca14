import SystemKit
import TransferModel

/// The relation between open files and concurrent tasks: a file and its connections for each, and
/// some for the rest.
enum OpenFileLimit {
    private static let spareFiles = 64

    /// The number of open files that so many concurrent tasks need, each with so many connections.
    static func openFiles(for tasks: Int, connections: Int = 1) -> Int {
        tasks * (1 + connections) + spareFiles
    }

    /// The number of concurrent tasks that so many open files allow.
    static func concurrentTasks(withOpenFiles count: Int) -> Int { (count - spareFiles) / 2 }

    /// Raises the limit of this process for the tasks of a run.
    ///
    /// - Throws: `RunObstacle` when the hard limit is too low.
    static func raise(
        for schedule: ScheduleConfiguration,
        connections: Int
    ) throws(RunObstacle) {
        let tasks = schedule.maxConcurrentTasks
        let needed = openFiles(for: tasks, connections: connections)
        let allowed = ProcessContext.allowOpenFiles(needed)
        guard allowed >= needed else {
            let each = connections > 1 ? " with up to \(connections) connections each" : ""
            let keys = "`maxConcurrentTasks`" + (connections > 1 ? " or `segments`" : "")
            throw RunObstacle(
                "\(tasks) concurrent tasks\(each) need \(needed) open files, and the limit is "
                    + "\(allowed) (ulimit -n); raise it or lower \(keys)"
            )
        }
    }
}
