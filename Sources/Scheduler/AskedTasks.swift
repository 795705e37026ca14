package import Plan
package import TransferModel

/// The downloads of a plan whose servers are asked what a run would do, each without its needs.
///
/// The tasks keep their numbers: all others are refused at once.
package struct AskedTasks: TaskSource {
    private let plan: Plan
    private let asked: Set<Int>
    /// The tasks, without an edge.
    package let graph: TaskGraph

    /// The tasks of a plan with these numbers; none of them may use captured values.
    package init(_ plan: Plan, _ asked: Set<Int>) {
        self.plan = plan
        self.asked = asked
        graph = TaskGraph(nodes: plan.taskCount, unitSizes: nil, edges: [])
    }

    /// As many as the plan has.
    package var taskCount: Int { plan.taskCount }
    /// No task waits for a value.
    package var captureUses: CaptureUses { CaptureUses() }
    /// A server is asked once.
    package var mostAttempts: Int { 1 }
    /// The failure of any task counts.
    package func isRequired(_ task: Int) -> Bool { true }
    /// As in the plan.
    package func priority(of task: Int) -> Double { plan.priority(of: task) }
    /// As in the plan.
    package func place(deciding failure: TransferFailure, of task: Int) -> SourceLocation? {
        plan.place(deciding: failure, of: task)
    }
    /// As in the plan.
    package func id(of task: Int) -> String { plan.id(of: task) }
    /// As in the plan.
    package func kind(of task: Int) -> TaskSpec.Kind { plan.kind(of: task) }

    /// None for a task that is not asked about.
    package func heldAlternatives(of task: Int, captured: CapturedValues) -> AlternativeSet {
        asked.contains(task) ? plan.heldAlternatives(of: task, captured: captured) : []
    }

    /// The task as a question.
    package func task(at index: Int, captured: CapturedValues) throws -> TaskSpec {
        let task = try plan.task(at: index, captured: captured)
        return task.destination.map(task.asked) ?? task
    }

    /// As in the plan.
    package func outline(of task: Int) -> TaskOutline { plan.outline(of: task) }
}
