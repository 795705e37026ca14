import SystemKit
import TransferModel

/// The paths whose tasks wait for an interface or for power: no other task of such a path starts,
/// so that it fills no place of a task that could continue.
struct ClosedPaths {
    /// A session as some of its tasks use it.
    struct Path: Hashable {
        var session: Int
        var access: NetworkAccess
        /// The only origin without a way; nil when every origin is without.
        var origin: Origin?

        init(_ spec: TaskSpec, origin: Origin? = nil) {
            session = spec.session
            access = spec.access
            self.origin = origin
        }
    }

    /// Why a path is closed; shared by the tasks that were kept back.
    final class Cause {
        let failure: TransferFailure

        init(_ failure: TransferFailure) { self.failure = failure }

        /// The reason for the wait.
        var reason: TaskRecord.Attempt.WaitReason {
            failure.kind == .power ? .power : .connectivity
        }
    }

    /// How a task was kept back.
    struct Hold {
        /// The start of the hold, from which the task's time counts.
        var since: MonotonicTime
        var cause: Cause
    }

    private var closed: [Path: (cause: Cause, tasks: [Int])] = [:]
    /// The tasks that were kept back and have not begun.
    private var holds: [Int: Hold] = [:]

    /// Whether no path is closed.
    var isEmpty: Bool { closed.isEmpty }

    /// Closes the path of a task that waits.
    mutating func close(_ path: Path, _ failure: TransferFailure) {
        if closed[path] == nil { closed[path] = (Cause(failure), []) }
    }

    /// Keeps a task back if its path is closed; returns whether it did.
    ///
    /// `isLocal` says whether its first server is this machine.
    mutating func hold(_ spec: TaskSpec, _ now: MonotonicTime, isLocal: Bool) -> Bool {
        let own = Path(spec, origin: spec.request.url.origin)
        // A mirror may be reached where the first URL is not.
        for path in spec.mirrors.isEmpty ? [Path(spec), own] : [Path(spec)] {
            guard let cause = closed[path]?.cause else { continue }
            // This machine needs no interface.
            if cause.reason == .connectivity, isLocal { continue }
            closed[path]?.tasks.append(spec.index)
            if holds[spec.index] == nil { holds[spec.index] = Hold(since: now, cause: cause) }
            return true
        }
        return false
    }

    /// How a task that begins was kept back; nil when it was not.
    mutating func takeHold(of task: Int) -> Hold? {
        holds.isEmpty ? nil : holds.removeValue(forKey: task)
    }

    /// Opens paths; returns their tasks, which may start.
    mutating func open(_ paths: [Path]) -> [Int] {
        paths.flatMap { closed.removeValue(forKey: $0)?.tasks ?? [] }
    }

    /// Opens every path that fits; returns their tasks in the order of the plan.
    mutating func openAll(where fits: (Path) -> Bool) -> [Int] {
        open(closed.keys.filter(fits)).sorted()
    }
}
