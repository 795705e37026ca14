import SystemKit
import TransferModel

/// The stop signals of a run, from its wait for the lock to the end of the process.
///
/// A signal without a receiver waits for the next receiver; a signal when all steps are done
/// changes nothing.
final class RunSignals {
    /// Passes a signal on; called with a lock held.
    typealias Receiver = @Sendable (StopSignal) -> StopSignalListener.Hearing

    private struct State: Sendable {
        var receiver: Receiver?
        var waiting: [StopSignal] = []
        /// Whether a signal that no receiver takes ends the process.
        var isGivenUp = true

        /// Passes a signal on; nil when it must wait.
        mutating func take(_ signal: StopSignal) -> StopSignalListener.Hearing? {
            if let receiver { return receiver(signal) }
            waiting.append(signal)
            return nil
        }
    }

    private let state = Lock(State())
    private var listener: StopSignalListener?

    /// Sends all signals to `receiver` from now on, the waiting ones first.
    ///
    /// - Throws: `Exit` when the kernel cannot create a thread.
    func hear(_ receiver: @escaping Receiver) throws(Exit) {
        let state = state
        state.withLock { state in
            state.receiver = receiver
            for signal in state.waiting { _ = receiver(signal) }
            state.waiting = []
        }
        guard listener == nil else { return }
        listener = try Exit.environment { () throws(SystemError) in
            try StopSignalListener(
                receive: { signal in
                    state.withLock { $0.take(signal) }
                        ?? { state.withLock { $0.waiting.isEmpty } }
                },
                giveUp: { signal in
                    // The lock is held, because this may be the last moment of the process.
                    state.withLock { state in
                        guard state.isGivenUp else { return }
                        ScratchFolder.removeAll()
                        ProcessContext.exit(ExitCode(signal).rawValue)
                    }
                }
            )
        }
    }

    /// Runs `body` without letting a signal choose the exit code, however long the disk takes.
    func withoutGivingUp<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        state.withLock { $0.isGivenUp = false }
        defer { state.withLock { $0.isGivenUp = true } }
        try body()
    }

    /// Lets signals wait until the next `hear`.
    func keep() {
        state.withLock { $0.receiver = nil }
    }
}
