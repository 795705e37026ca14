import TransferModel

/// The tasks that have begun and not ended, by their positions in the plan.
///
/// The machine may change while a task changes, so the task is taken out and put back.
struct ActiveTasks {
    /// One task in memory of its own, which copies share until one of them changes.
    struct Slot {
        private final class Storage {
            var task: ActiveTask

            init(_ task: consuming ActiveTask) { self.task = task }
        }

        private var storage: Storage

        /// A slot for a task that begins.
        init(_ task: consuming ActiveTask) { storage = Storage(task) }

        /// The task; changes happen in place.
        var task: ActiveTask {
            _read { yield storage.task }
            _modify {
                if !isKnownUniquelyReferenced(&storage) { unshare() }
                yield &storage.task
            }
        }

        @inline(never) private mutating func unshare() { storage = Storage(storage.task) }
    }

    private var slots: [Int: Slot] = [:]
    /// The number of tasks, including the tasks that are taken out.
    private(set) var count = 0

    /// Whether there is none.
    var isEmpty: Bool { count == 0 }

    /// Counts a task that begins; its slot is put back like a slot that was taken out.
    mutating func begin(_ task: consuming ActiveTask) -> Slot {
        count += 1
        return Slot(task)
    }

    /// Takes a task out to change it; nil when it is not there.
    mutating func take(_ index: Int) -> Slot? { slots.removeValue(forKey: index) }

    /// Puts a task back, unless it has ended.
    mutating func putBack(_ slot: Slot) {
        guard slot.task.stage == .ended else {
            slots[slot.task.spec.index] = slot
            return
        }
        count -= 1
    }

    /// The reason of a task's wait; nil while it does not wait.
    func awaited(by index: Int) -> TaskRecord.Attempt.WaitReason? { slots[index]?.task.awaited }

    /// The session of a task; nil for a task that is not active.
    func session(of index: Int) -> Int? { slots[index]?.task.spec.session }

    /// The tasks of some sessions in some stages, in the order of the plan.
    func indices(of sessions: Set<Int>, where fits: (ActiveTask.Stage) -> Bool) -> [Int] {
        slots.filter { fits($0.value.task.stage) && sessions.contains($0.value.task.spec.session) }
            .keys.sorted()
    }

    /// The tasks in some stages, in the order of the plan.
    func indices(where fits: (ActiveTask.Stage) -> Bool) -> [Int] {
        slots.filter { fits($0.value.task.stage) }.keys.sorted()
    }
}
