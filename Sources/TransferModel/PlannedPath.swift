/// A path that a job names before its run, and what for.
package struct PlannedPath: Sendable, Hashable {
    /// What happens at a path.
    package enum Use: Sendable, Hashable {
        /// The task of that number writes it; a slash at the path's end makes it a folder.
        case destination(of: Int)
        /// The run reads or writes it, and no task may replace it.
        case ofTheRun
    }

    /// Absolute.
    package var path: String
    package var use: Use

    package init(_ path: String, _ use: Use) {
        self.path = path
        self.use = use
    }
}
