import SystemKit
import TransferModel

/// The stop signals of a run, from its wait for the lock to the end of the process.
///
/// One that comes while nobody hears them waits for the next one who does; one that comes when all is done changes nothing.
final class RunSignals {
    /// Hands a signal on; called with a lock held.
    typealias Receiver = @Sendable (StopSignal) -> StopSignalListener.Hearing

    private struct State: Sendable {
        var receiver: Receiver?
        var waiting: [StopSignal] = []
        /// Whether the process ends when nobody hears them.
        var isGivenUp = true

        /// Hands a signal on; nil when it waits.
        mutating func take(_ signal: StopSignal) -> StopSignalListener.Hearing? {
            if let receiver { return receiver(signal) }
            waiting.append(signal)
            return nil
        }
    }

    private let state = Lock(State())
    private var listener: StopSignalListener?

    /// From now on `receiver` hears the signals, those that wait first.
    ///
    /// - Throws: `Exit` when the kernel has no thread to give.
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
                    // With the lock held: it may be the last moment.
                    state.withLock { state in
                        if state.isGivenUp { ProcessContext.exit(ExitCode(signal).rawValue) }
                    }
                }
            )
        }
    }

    /// Does what must not end with a signal's exit code, however long the disk takes.
    func withoutGivingUp<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        state.withLock { $0.isGivenUp = false }
        defer { state.withLock { $0.isGivenUp = true } }
        try body()
    }

    /// From now on nobody hears the signals, until the next `hear`.
    func keep() {
        state.withLock { $0.receiver = nil }
    }
}
