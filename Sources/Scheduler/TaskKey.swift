/// A task's place in the order of starting, in eight bytes.
///
/// From the highest bit: 1 for a task that was never started, so that begun tasks finish first; the
/// priority, inverted; the position in the plan.
struct TaskKey: Comparable, Hashable {
    private let rank: UInt64

    /// `priority` is cut to 0…1; `task` is below 2³².
    init(task: Int, priority: Double, isRetry: Bool = false) {
        let clamped = Float(priority.isNaN ? 0 : min(max(priority, 0), 1))
        // The bit patterns of positive floating-point numbers are ordered as the numbers are.
        let inverted = UInt64(Float(1).bitPattern - clamped.magnitude.bitPattern)
        rank = (isRetry ? 0 : 1) << 63 | inverted << 32 | UInt64(UInt32(truncatingIfNeeded: task))
    }

    /// The position in the plan.
    var task: Int { Int(UInt32(truncatingIfNeeded: rank)) }

    /// The key of the next task of the plan at the same priority.
    var next: TaskKey { TaskKey(rank: rank &+ 1) }

    private init(rank: UInt64) { self.rank = rank }

    var isRetry: Bool { rank >> 63 == 0 }

    static func < (left: TaskKey, right: TaskKey) -> Bool {
        left.rank < right.rank
    }
}
