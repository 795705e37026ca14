import HeapModule

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
