internal import CSystem
internal import Glibc

/// A kernel thread that runs one closure with every signal blocked.
///
/// One dedicated thread reads the signals; they must not interrupt any other thread.
package final class JoinableThread: Sendable {
    private let handle: pthread_t
    private let isJoined = Lock(false)
    private let isEnded: Lock<Bool>

    /// Starts `body` on a new thread.
    ///
    /// - Parameters:
    ///   - name: The name in `top -H`; the kernel keeps 15 bytes.
    ///   - body: The closure; it runs once.
    /// - Throws: `SystemError` when the kernel cannot create a thread.
    package init(name: String, body: @escaping @Sendable () -> Void) throws(SystemError) {
        let isEnded = Lock(false)
        self.isEnded = isEnded
        let box = Box(name: name) {
            body()
            isEnded.withLock { $0 = true }
            isEnded.notify()
        }
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, 1 << 20)

        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

        var handle = pthread_t()
        let argument = unsafe Unmanaged.passRetained(box)
        let code = unsafe pthread_create(
            &handle,
            &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let box = unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
                unsafe csystem_name_thread(box.name)
                box.body()
                return nil
            },
            argument.toOpaque()
        )
        guard code == 0 else {
            unsafe argument.release()
            throw SystemError(errno: code, operation: "start", subject: "a thread")
        }
        self.handle = handle
    }

    deinit {
        // A thread that is not joined keeps its stack until it is detached.
        if !isJoined.withLock({ $0 }) { _ = pthread_detach(handle) }
    }

    /// Waits until the closure has returned.
    ///
    /// Call it at most once, from another thread; a thread that is never joined ends on its own.
    package func join() {
        isJoined.withLock { $0 = true }
        _ = pthread_join(handle, nil)
    }

    /// Waits until the closure has returned, at most for some seconds; returns whether it has.
    package func hasEnded(within seconds: Int64) -> Bool {
        let end = Clock.monotonicNanoseconds() + seconds * 1_000_000_000
        return isEnded.withLock(when: { $0 }, until: end) { $0 }
    }

    /// Lets the calling thread sleep until the process ends: it can neither go on nor end.
    package static func park() -> Never {
        while true { pause() }
    }

    /// Sends a signal to this thread alone, which must wait for it; call it before `join`.
    func deliver(_ signal: StopSignal) {
        pthread_kill(handle, signal.number)
    }

    private final class Box: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
            self.body = body
        }
    }
}
