package import Plan
package import TransferModel

/// The facts about the tasks of a plan that no file has to be read for.
///
/// Tasks are numbered from 0 in file order. The graph has these tasks and no cycle.
package protocol TaskOverview {
    var taskCount: Int { get }
    /// Which tasks must succeed before which.
    var graph: TaskGraph { get }
    /// Whether the task's failure is the run's.
    func isRequired(_ task: Int) -> Bool
    /// 0 to 1; higher goes first.
    func priority(of task: Int) -> Double
    /// The uses of captured values by other tasks.
    var captureUses: CaptureUses { get }
    /// The most attempts that any task may have, at least 1.
    var mostAttempts: Int { get }
    /// The place of the key that decides about a failure of the task; nil without one.
    func place(deciding failure: TransferFailure, of task: Int) -> SourceLocation?
}

/// Where the scheduler gets its tasks from: a plan, which may read a data file for each.
package protocol TaskSource: TaskOverview {
    func id(of task: Int) -> String
    func kind(of task: Int) -> TaskSpec.Kind
    /// The alternatives of the task's `when` whose comparisons hold; asked for before its settings.
    func heldAlternatives(of task: Int, captured: CapturedValues) -> AlternativeSet
    /// The task with every setting resolved; asked for when it is about to start, at most a few
    /// times.
    ///
    /// `captured` has the values of other tasks that this task uses.
    func task(at index: Int, captured: CapturedValues) throws -> TaskSpec
    /// The known facts about a task that cannot be resolved, for its record.
    func outline(of task: Int) -> TaskOutline
}

extension Plan: TaskSource {}
