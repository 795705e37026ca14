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
        /// A need has not succeeded, or `when` does not hold: the task is recorded as skipped.
        case doomed
        case active
        case ended
    }

    /// Skipped tasks and their reason.
    struct Skip {
        /// Why the tasks never begin.
        enum Reason {
            /// A need did not succeed, because `root`, the need itself or a task that kept it from
            /// beginning, ended in that way.
            case need(UInt32, root: UInt32, TransferFailure.Kind)
            /// `when` names another outcome of a need; nil for a `forEach` without items.
            case end(of: UInt32?, NeedEnd)
            /// The comparisons in `when` do not hold.
            case comparison
        }

        /// The tasks that have no record yet.
        fileprivate(set) var tasks: Range<Int>
        let reason: Reason
        /// The exit code that the need's outcome asks for.
        let verdict: ExitCode
    }

    /// The end of a task that never begins.
    struct UnbegunEnd {
        enum Cause {
            /// A need of the task has not succeeded, or its `when` does not hold.
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
        skip(self.graph.refusedAtStart, .end(of: nil, .succeeded), .success)
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
    mutating func succeed(_ task: Int) -> [Range<Int>] {
        end(task, as: .succeeded, .need(UInt32(task), root: UInt32(task), .condition), .success)
    }

    /// Notes that a task will not succeed; returns the tasks that may start now, because they wait
    /// for that.
    mutating func fail(_ task: Int, _ failure: TransferFailure) -> [Range<Int>] {
        let end: NeedEnd = failure.isDeferral ? .deferred : .failed
        let reason = Skip.Reason.need(UInt32(task), root: UInt32(task), failure.kind)
        return self.end(task, as: end, reason, failure.exitCode)
    }

    /// Notes that a task that never begins has its record; returns the tasks that may start now.
    mutating func settle(_ end: UnbegunEnd) -> [Range<Int>] {
        guard case .skipped(let skip) = end.cause else { return [] }
        let task = UInt32(end.task)
        let reason: Skip.Reason =
            switch skip.reason {
            case .need(_, let root, let kind): .need(task, root: root, kind)
            case .end, .comparison: .need(task, root: task, .condition)
            }
        return self.end(end.task, as: .skipped, reason, skip.verdict)
    }

    /// Skips a task whose needs let it start if the comparisons in its `when` do not; false for any
    /// other task.
    ///
    /// `held` has the alternatives whose comparisons hold.
    mutating func refuse(_ task: Int, holding held: AlternativeSet) -> Bool {
        guard graph.alternatives(of: task).isDisjoint(with: held) else { return false }
        skip([task..<task + 1], .comparison, .success)
        return true
    }

    /// Notes the end of a task; its dependants that never start are skipped for the reason, or
    /// because of their own `when`.
    private mutating func end(
        _ task: Int,
        as end: NeedEnd,
        _ reason: Skip.Reason,
        _ verdict: ExitCode
    ) -> [Range<Int>] {
        let decisions = graph.end(task, as: end)
        skip(decisions.doomed, reason, verdict)
        skip(decisions.refused, .end(of: UInt32(task), end), .success)
        return decisions.free
    }

    private mutating func skip(_ ranges: [Range<Int>], _ reason: Skip.Reason, _ verdict: ExitCode) {
        for tasks in ranges {
            for task in tasks where states[task] == .idle { states[task] = .doomed }
            skips.append(Skip(tasks: tasks, reason: reason, verdict: verdict))
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
