internal import CSystem
import Glibc

/// A value that one thread at a time can access.
///
/// A pthread mutex rather than `Synchronization.Mutex`, because the thread sanitizer sees it.
/// Sendable by the mutex: `state` is touched between lock and unlock only. Callers inline
/// `withLock`: otherwise its generic code costs more than the mutex.
@safe @usableFromInline package final class Lock<State: ~Copyable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    @usableFromInline internal var state: State

    /// Protects a value, which afterwards only `withLock` reaches.
    package init(_ state: consuming sending State) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe condition = .allocate(capacity: 1)
        // Waits use the clock that never steps.
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        self.state = state
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` under the lock; it must be short and must not take the same lock.
    @inlinable package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock()
        defer { unlock() }
        return try body(&state)
    }

    @usableFromInline internal func lock() { unsafe pthread_mutex_lock(mutex) }
    @usableFromInline internal func unlock() { unsafe pthread_mutex_unlock(mutex) }

    /// Waits for `isReady`, then runs `body` under the lock; both must be short.
    ///
    /// At `deadline`, a reading of `CLOCK_MONOTONIC` in nanoseconds, `body` runs in any case; nil
    /// waits without a limit. The thread that makes `isReady` true calls `notify`.
    package func withLock<Result: ~Copyable>(
        when isReady: (borrowing State) -> Bool,
        until deadline: Int64?,
        _ body: (inout sending State) -> sending Result
    ) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while !isReady(state) {
            guard let deadline else {
                unsafe pthread_cond_wait(condition, mutex)
                continue
            }
            // A negative time has passed, like 0.
            let (seconds, nanoseconds) = max(deadline, 0)
                .quotientAndRemainder(dividingBy: 1_000_000_000)
            var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
            guard unsafe pthread_cond_timedwait(condition, mutex, &time) == 0 else { break }
        }
        return body(&state)
    }

    /// Wakes one thread that waits in `withLock(when:until:_:)`.
    package func notify() {
        unsafe pthread_cond_signal(condition)
    }
}
