internal import SystemKit
internal import TransferModel

/// When an engine thread last woke: the time of what happens many times in a turn and is dated by nobody.
final class EngineTurn {
    private(set) var time = MonotonicTime.now

    /// The thread has woken.
    func begin() { time = .now }
}
