/// A path that a job names before its run, and its use.
package struct PlannedPath: Sendable, Hashable {
    /// The use of a path.
    package enum Use: Sendable, Hashable {
        /// The task with that number writes the path; a final slash makes it a folder.
        case destination(of: Int)
        /// The run reads or writes the path, and no task may replace it.
        case ofTheRun
    }

    /// Absolute.
    package var path: String
    /// The run's use of the path.
    package var use: Use

    /// Creates a use of an absolute path.
    package init(_ path: String, _ use: Use) {
        self.path = path
        self.use = use
    }
}
