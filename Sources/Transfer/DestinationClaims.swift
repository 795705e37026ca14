internal import SystemKit

/// Keeps the tasks of one run from writing one file where servers name files, and off the files that the run needs.
///
/// Made only for a job in which a server names a file: in all others the plan has seen to it.
package final class DestinationClaims: Sendable {
    private static let nobody = -1
    /// The task that each path belongs to.
    private let owners: Lock<[String: Int]>

    /// `reserved` are absolute paths that belong to no task: the job file, the report.
    package init(reserved: [String]) {
        var owners: [String: Int] = [:]
        for path in reserved { owners[path] = Self.nobody }
        self.owners = Lock(owners)
    }

    /// Gives the path to the task unless another one has it; later attempts of the same task find it theirs.
    func claim(_ path: String, for task: Int) -> Bool {
        owners.withLock { owners in
            if let owner = owners[path] { return owner == task }
            owners[path] = task
            return true
        }
    }
}
