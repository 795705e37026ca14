import Scheduler
import SystemKit
import TransferModel

/// When a run should be over: at its deadline, or when a signal's grace ends; known to the writers
/// that could wait longer for their readers.
final class RunEndTime: Sendable {
    private struct State {
        var time = MonotonicTime(nanoseconds: .max)
        var hasSignal = false
    }

    private let state = Lock(State())

    /// Whether the run should be over.
    var hasCome: Bool { MonotonicTime.present() >= state.withLock { $0.time } }

    /// Takes in the deadline.
    func take(_ deadline: MonotonicTime) {
        state.withLock { $0.time = min($0.time, deadline) }
    }

    /// Takes in a signal: the first one leaves a grace, the second one none.
    func takeSignal() {
        let now = MonotonicTime.present()
        state.withLock { state in
            state.time = min(state.time, state.hasSignal ? now : now + Scheduler.grace)
            state.hasSignal = true
        }
    }
}
