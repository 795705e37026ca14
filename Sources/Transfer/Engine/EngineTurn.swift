internal import SystemKit
internal import TransferModel

/// When an engine thread last woke: the time of what happens many times in a turn and is dated by
/// nobody.
final class EngineTurn {
    private(set) var time = MonotonicTime.now
    /// When an attempt wants to be looked at although nothing of it moves.
    private var lookTime = MonotonicTime(nanoseconds: .max)

    /// The thread has woken.
    func begin() { time = .now }

    /// Has the thread look at its attempts at a time.
    func look(at time: MonotonicTime) {
        if time < lookTime { lookTime = time }
    }

    /// When the thread is to look at its attempts; until the next `look` that is all.
    func takeLookTime() -> MonotonicTime {
        defer { lookTime = MonotonicTime(nanoseconds: .max) }
        return lookTime
    }
}
