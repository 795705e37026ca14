import Glibc

/// Starts threads that nobody joins.
enum BackgroundThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a thread of its own.
    static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(body))
        let result = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            },
            work.toOpaque()
        )
        guard result == 0 else {
            unsafe work.release()
            throw SystemError("pthread_create", errno: result)
        }
        pthread_detach(thread)
    }
}
