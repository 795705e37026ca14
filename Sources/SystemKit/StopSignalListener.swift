internal import Glibc

/// Reads the stop signals of the process on a thread of its own, so that no code runs inside a signal handler.
///
/// To be made before any other thread: threads inherit the mask that keeps the signals from them. A signal that the
/// process was started with as ignored stays ignored, as `nohup` and a shell's background jobs expect.
package final class StopSignalListener: Sendable {
    private let thread: JoinableThread
    private let isStopped: Lock<Bool>

    /// Blocks the stop signals in the calling thread and calls `receive` on the listening thread once for each
    /// signal that arrives.
    ///
    /// - Throws: `SystemError` when the kernel has no thread to give.
    package init(receive: @escaping @Sendable (StopSignal) -> Void) throws(SystemError) {
        let signals = StopSignal.allCases.filter { !Self.isIgnored($0) }
        var set = Self.set(of: signals)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)

        let isStopped = Lock(false)
        self.isStopped = isStopped
        thread = try JoinableThread(name: "signals") {
            Self.listen(to: signals, until: isStopped, receive)
        }
    }

    /// Ends the listening thread; the signals stay blocked.
    ///
    /// To be called once, and not from `receive`.
    package func stop() {
        isStopped.withLock { $0 = true }
        // The thread takes it for the end because of the flag.
        thread.deliver(.terminate)
        thread.join()
    }

    /// Sends a signal to the listening thread alone, as the kernel would to the process.
    func deliver(_ signal: StopSignal) {
        thread.deliver(signal)
    }

    private static func listen(
        to signals: [StopSignal],
        until isStopped: Lock<Bool>,
        _ receive: (StopSignal) -> Void
    ) {
        // SIGTERM ends the wait even where the process ignores it.
        var set = Self.set(of: signals + [.terminate])
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
