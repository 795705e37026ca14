internal import TransferModel

/// The first tasks of a plan as values, each until it is started: a usual job is read once and not
/// twice.
struct KeptTasks {
    /// By their numbers.
    private var tasks: [TaskSpec?] = []
    /// Tasks of this number and above are not kept.
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Keeps a task of a higher number than the tasks before; there is room for it.
    mutating func keep(_ task: TaskSpec) {
        while tasks.count < task.index { tasks.append(nil) }
        tasks.append(task)
    }

    /// The task of that number, which is no longer kept; nil when it was not.
    mutating func take(_ number: Int) -> TaskSpec? {
        guard tasks.indices.contains(number) else { return nil }
        return tasks[number].take()
    }
}
