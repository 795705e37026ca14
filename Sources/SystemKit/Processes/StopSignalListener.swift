internal import Glibc

/// Reads the process's stop signals on its own thread, so that no code runs inside a signal
/// handler.
///
/// Make it before any other thread: threads inherit the mask that blocks the signals. Signals
/// ignored at the start stay ignored, as `nohup` and a shell's background jobs expect.
package final class StopSignalListener: Sendable {
    /// Tells whether the receiver of a signal has handled it by now.
    package typealias Hearing = @Sendable () -> Bool

    private let thread: JoinableThread
    private let isStopped: Lock<Bool>
    /// The signals that the calling thread did not block before.
    private let blocked: [StopSignal]

    /// Blocks the stop signals in the calling thread and calls `receive` on the listening thread
    /// once for each signal that arrives.
    ///
    /// - Parameters:
    ///   - patience: How long the second or a later signal may remain unhandled.
    ///   - receive: Passes a signal on.
    ///   - giveUp: Ends the process after that time: the responsible thread hangs in a system call,
    ///     such as a write to a lost disk.
    /// - Throws: `SystemError` when the kernel cannot create a thread.
    package init(
        patience: Duration = .seconds(2),
        receive: @escaping @Sendable (StopSignal) -> Hearing,
        giveUp: @escaping @Sendable (StopSignal) -> Void
    ) throws(SystemError) {
        let signals = StopSignal.allCases.filter { !Self.isIgnored($0) }
        var set = Self.set(of: signals)
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
        blocked = signals.filter { unsafe sigismember(&before, $0.number) == 0 }

        let isStopped = Lock(false)
        self.isStopped = isStopped
        thread = try JoinableThread(name: "signals") {
            var ear = Ear(signals: signals, patience: patience)
            while true {
                let event = ear.listen()
                if isStopped.withLock({ $0 }) { return }
                switch event {
                case .signal(let signal): ear.handOn(signal, to: receive)
                case .unheard(let signal): giveUp(signal)
                }
            }
        }
    }

    /// Ends the listening thread and restores the signals of the calling thread, which must have
    /// made the listener.
    ///
    /// Call it once, and not from `receive`.
    package func stop() {
        isStopped.withLock { $0 = true }
        // The flag tells the thread that this signal means the end.
        thread.deliver(.terminate)
        thread.join()
        var set = Self.set(of: blocked)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Sends a signal to the listening thread alone, as if the kernel sent it to the process.
    func deliver(_ signal: StopSignal) {
        thread.deliver(signal)
    }

    /// The signals to wait for and those received so far.
    private struct Ear {
        enum Event {
            case signal(StopSignal)
            case unheard(StopSignal)
        }

        let signals: [StopSignal]
        let patience: Duration
        private var count = 0
        /// The signal that must be handled by a time, in nanoseconds of the monotonic clock.
        private var pending: (signal: StopSignal, isHeard: Hearing, deadline: Int64)?

        init(signals: [StopSignal], patience: Duration) {
            self.signals = signals
            self.patience = patience
        }

        /// Waits for the next signal or the end of the patience.
        mutating func listen() -> Event {
            // SIGTERM ends the wait even if the process ignores it.
            var set = StopSignalListener.set(of: signals + [.terminate])
            while true {
                let number: Int32
                if let (signal, isHeard, deadline) = pending {
                    let rest = max(0, deadline - Clock.monotonicNanoseconds())
                    var time = timespec(
                        tv_sec: Int(rest / 1_000_000_000),
                        tv_nsec: Int(rest % 1_000_000_000)
                    )
                    number = unsafe sigtimedwait(&set, nil, &time)
                    if number < 0, errno == EAGAIN {
                        pending = nil
                        if !isHeard() { return .unheard(signal) }
                    }
                } else {
                    number = unsafe sigwaitinfo(&set, nil)
                }
                if let signal = StopSignal(number: number) { return .signal(signal) }
            }
        }

        /// Passes a signal on unless the process ignores it; from the second on, handling is
        /// checked.
        mutating func handOn(_ signal: StopSignal, to receive: (StopSignal) -> Hearing) {
            guard signals.contains(signal) else { return }
            let isHeard = receive(signal)
            count += 1
            guard count > 1, pending == nil else { return }
            let (seconds, attoseconds) = patience.components
            let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
            pending = (signal, isHeard, Clock.monotonicNanoseconds() + nanoseconds)
        }
    }

    private static func set(of signals: [StopSignal]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal.number) }
        return set
    }

    private static func isIgnored(_ signal: StopSignal) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(signal.number, nil, &action) == 0 else { return false }
        let ignore = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignore
    }
}
