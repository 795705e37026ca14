import DequeModule
import Plan
import TransferModel

/// How far each task of a run has come, in one byte for each; which tasks an end frees, and which
/// tasks never begin.
struct TaskLedger {
    /// How far a task has come.
    private enum State: UInt8 {
        /// Never started; it waits for its needs, its turn or its host.
        case idle
        /// A need has not succeeded: the task is to be recorded as skipped.
        case doomed
        case active
        case ended
    }

    /// Skipped tasks and the need that did not succeed.
    struct Skip {
        /// The tasks that have no record yet.
        fileprivate(set) var tasks: Range<Int>
        let need: UInt32
        /// The task that failed: the need itself, or one that kept it from beginning.
        let root: UInt32
        /// How the root failed.
        let kind: TransferFailure.Kind
        /// The exit code that the need's end asks for.
        let verdict: ExitCode
    }

    /// The end of a task that never begins.
    struct UnbegunEnd {
        enum Cause {
            /// A need of the task has not succeeded.
            case skipped(Skip)
            /// The run stops.
            case stopped(StopReason)
        }

        let task: Int
        let cause: Cause

        /// The exit code that the end of a required task asks for.
        var verdict: ExitCode {
            switch cause {
            case .skipped(let skip): skip.verdict
            case .stopped(let reason): reason.verdict
            }
        }
    }

    private var states: [State]
    private var graph: DependencyGraph
    private var skips: Deque<Skip> = []
    /// The first task that the sweep of a stopping run has not seen.
    private var sweepPosition = 0
    private var unended: Int

    /// The ledger of a run that begins.
    init(_ graph: TaskGraph, taskCount: Int) {
        self.graph = DependencyGraph(graph)
        states = Array(repeating: .idle, count: taskCount)
        unended = taskCount
    }

    /// Whether every task has ended.
    var isFinished: Bool { unended == 0 }

    /// The tasks that may start before any has succeeded.
    var freeTasks: [Range<Int>] { graph.freeTasks }

    /// Notes that a task begins.
    mutating func begin(_ task: Int) { states[task] = .active }

    /// Notes that a task has its record.
    mutating func end(_ task: Int) {
        states[task] = .ended
        unended -= 1
    }

    /// Notes that a task has succeeded; returns the tasks that may start now.
    mutating func succeed(_ task: Int) -> [Range<Int>] { graph.succeed(task) }

    /// Dooms the tasks that need a task which will not succeed.
    mutating func fail(_ task: Int, _ kind: TransferFailure.Kind, verdict: ExitCode) {
        doom(dependantsOf: task, root: UInt32(task), kind, verdict)
    }

    /// Dooms the tasks that need a skipped task.
    mutating func skip(_ task: Int, for skip: Skip) {
        doom(dependantsOf: task, root: skip.root, skip.kind, skip.verdict)
    }

    private mutating func doom(
        dependantsOf task: Int,
        root: UInt32,
        _ kind: TransferFailure.Kind,
        _ verdict: ExitCode
    ) {
        for tasks in graph.fail(task) {
            for task in tasks where states[task] == .idle { states[task] = .doomed }
            skips.append(
                Skip(tasks: tasks, need: UInt32(task), root: root, kind: kind, verdict: verdict)
            )
        }
    }

    /// Whether a task that never begins has no record yet.
    func hasUnbegun(isStopping: Bool) -> Bool {
        !skips.isEmpty || isStopping && sweepPosition < states.count
    }

    /// The next task that never begins: a skipped one, then, in a stopping run, any other.
    ///
    /// - Parameters:
    ///   - reason: Why the run stops; nil while it does not.
    ///   - steps: How many more tasks may be looked at in this turn.
    /// - Returns: A task without a record; nil when there is none, or no step is left.
    mutating func nextUnbegun(_ reason: StopReason?, steps: inout Int) -> UnbegunEnd? {
        while steps > 0, !skips.isEmpty {
            steps -= 1
            let skip = skips[0]
            let task = skip.tasks.lowerBound
            if skip.tasks.count > 1 { skips[0].tasks.removeFirst() } else { skips.removeFirst() }
            if states[task] == .doomed { return UnbegunEnd(task: task, cause: .skipped(skip)) }
        }
        guard let reason else { return nil }
        while steps > 0, sweepPosition < states.count {
            let task = sweepPosition
            sweepPosition += 1
            guard states[task] == .idle else { continue }
            steps -= 1
            return UnbegunEnd(task: task, cause: .stopped(reason))
        }
        return nil
    }
}
