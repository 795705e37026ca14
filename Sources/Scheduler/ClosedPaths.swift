import TransferModel

/// Sessions of which a task waits for an interface or for power: no other one of theirs is started, so that they do not fill the places
/// of tasks that could go on.
struct ClosedPaths {
    /// A session as some of its tasks use it.
    struct Path: Hashable {
        var session: Int
        var access: NetworkAccess

        init(_ spec: TaskSpec) {
            session = spec.session
            access = spec.access
        }
    }

    /// Tasks that were not started, by what they would have gone over.
    private var held: [Path: [Int]] = [:]

    /// Whether there is none.
    var isEmpty: Bool { held.isEmpty }

    /// A task waits.
    mutating func close(_ path: Path) {
        if held[path] == nil { held[path] = [] }
    }

    /// Keeps a task back if its path is closed; whether it was.
    mutating func hold(_ task: Int, of path: Path) -> Bool {
        guard !held.isEmpty, held[path] != nil else { return false }
        held[path]?.append(task)
        return true
    }

    /// The path may be open: its tasks are to be started.
    mutating func open(_ path: Path) -> [Int] {
        held.removeValue(forKey: path) ?? []
    }

    /// All that fit may be open: all tasks of theirs that were kept back, in the order of the plan.
    mutating func openAll(where fits: (Path) -> Bool) -> [Int] {
        let open = held.filter { fits($0.key) }
        held = held.filter { open[$0.key] == nil }
        return open.values.flatMap { $0 }.sorted()
    }
}
