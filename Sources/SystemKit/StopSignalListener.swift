import Glibc

/// Reads the stop signals of the process on a thread of its own, so that no code runs inside a signal handler.
///
/// To be made before any other thread: threads inherit the mask that keeps the signals from them. A signal that the
/// process was started with as ignored stays ignored, as `nohup` and a shell's background jobs expect.
package final class StopSignalListener: Sendable {
    private let thread: pthread_t
    private let isStopped: Lock<Bool>

    /// Blocks the stop signals in the calling thread, ignores SIGPIPE and calls `receive` on the listening thread
    /// once for each signal that arrives.
    ///
    /// Nil when the system has no thread to give.
    package init?(receive: @escaping @Sendable (StopSignal) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let signals = StopSignal.allCases.filter { !Self.isIgnored($0) }
        var set = Self.set(of: signals)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)

        let isStopped = Lock(false)
        let loop = Loop { Self.listen(to: signals, until: isStopped, receive) }
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(loop)
        let status = unsafe pthread_create(
            &thread,
            nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<Loop>.fromOpaque(context).takeRetainedValue().body()
                return nil
            },
            context.toOpaque()
        )
        guard status == 0 else {
            unsafe context.release()
            return nil
        }
        self.thread = thread
        self.isStopped = isStopped
    }

    /// Ends the listening thread; the signals stay blocked.
    ///
    /// To be called once, and not from `receive`.
    package func stop() {
        isStopped.withLock { $0 = true }
        // Directed at the thread, which takes it for the end because of the flag.
        pthread_kill(thread, SIGTERM)
        pthread_join(thread, nil)
    }

    /// Sends a signal to the listening thread alone, as the kernel would for the process.
    package func raise(_ signal: StopSignal) {
        pthread_kill(thread, signal.number)
    }

    /// What the thread is given: a closure in a box that C can carry.
    private final class Loop: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private static func listen(
        to signals: [StopSignal],
        until isStopped: Lock<Bool>,
        _ receive: (StopSignal) -> Void
    ) {
        // `stop` ends the wait by SIGTERM, which would be lost if the process ignored it and nobody blocked it.
        var set = Self.set(of: signals + [.terminate])
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        while true {
            var number: Int32 = 0
            guard unsafe sigwait(&set, &number) == 0 else { continue }
            if isStopped.withLock({ $0 }) { return }
            if let signal = StopSignal(number: number), signals.contains(signal) {
                receive(signal)
            }
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
