internal import Glibc

/// Reads the stop signals of the process on a thread of its own, so that no code runs inside a
/// signal handler.
///
/// To be made before any other thread: threads inherit the mask that keeps the signals from them. A
/// signal that the process was started with as ignored stays ignored, as `nohup` and a shell's
/// background jobs expect.
package final class StopSignalListener: Sendable {
    /// Says whether whoever a signal was handed on to has heard of it by now.
    package typealias Hearing = @Sendable () -> Bool

    private let thread: JoinableThread
    private let isStopped: Lock<Bool>
    /// Those that the calling thread did not block before.
    private let blocked: [StopSignal]

    /// Blocks the stop signals in the calling thread and calls `receive` on the listening thread
    /// once for each signal that arrives.
    ///
    /// - Parameters:
    ///   - patience: How long the second signal, or a later one, may go unheard.
    ///   - receive: Hands a signal on.
    ///   - giveUp: Ends the process when it has gone unheard: the thread that should answer is
    ///     stuck in a call of the system, such as a write to a disk that has gone.
    /// - Throws: `SystemError` when the kernel has no thread to give.
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

    /// Ends the listening thread; in the calling thread, which must be the one that made the
    /// listener, signals are what they were before.
    ///
    /// To be called once, and not from `receive`.
    package func stop() {
        isStopped.withLock { $0 = true }
        // The thread takes it for the end because of the flag.
        thread.deliver(.terminate)
        thread.join()
        var set = Self.set(of: blocked)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Sends a signal to the listening thread alone, as the kernel would to the process.
    func deliver(_ signal: StopSignal) {
        thread.deliver(signal)
    }

    /// What the listening thread waits for, and what it has heard so far.
    private struct Ear {
        enum Event {
            case signal(StopSignal)
            case unheard(StopSignal)
        }

        let signals: [StopSignal]
        let patience: Duration
        private var count = 0
        /// The signal that somebody has to have heard of by a time, in nanoseconds of the monotonic
        /// clock.
        private var pending: (signal: StopSignal, isHeard: Hearing, deadline: Int64)?

        init(signals: [StopSignal], patience: Duration) {
            self.signals = signals
            self.patience = patience
        }

        /// Waits for the next signal, or for the end of the patience.
        mutating func listen() -> Event {
            // SIGTERM ends the wait even where the process ignores it.
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

        /// Hands on a signal, unless it is one that the process ignores; from the second one on
        /// somebody has to hear it.
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
