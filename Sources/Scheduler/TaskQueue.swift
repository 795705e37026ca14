import HeapModule

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

/// Tasks in the order of starting.
///
/// Tasks that are added in the order of the plan share one place, so that a million rows wait in
/// sixteen bytes. Every operation takes logarithmic time.
struct TaskQueue {
    private struct Stretch: Comparable {
        var first: TaskKey
        var last: TaskKey

        /// The stretch without its first task; nil when that is its only one.
        var rest: Stretch? {
            first == last ? nil : Stretch(first: first.next, last: last)
        }

        static func < (left: Stretch, right: Stretch) -> Bool { left.first < right.first }
    }

    private var stretches = Heap<Stretch>()
    /// The last added stretch, kept apart because it may grow.
    private var newest: Stretch?

    var isEmpty: Bool { newest == nil && stretches.isEmpty }

    /// The first task.
    var min: TaskKey? {
        guard let oldest = stretches.min else { return newest?.first }
        return newest.map { Swift.min($0.first, oldest.first) } ?? oldest.first
    }

    mutating func insert(_ task: TaskKey) {
        if let last = newest?.last, last.next == task {
            newest?.last = task
        } else {
            if let newest { stretches.insert(newest) }
            newest = Stretch(first: task, last: task)
        }
    }

    /// Takes the first task out.
    mutating func removeMin() {
        guard let first = min else { return }
        if let stretch = newest, stretch.first == first {
            newest = stretch.rest
        } else if let rest = stretches.min?.rest {
            stretches.replaceMin(with: rest)
        } else {
            stretches.removeMin()
        }
    }
}
