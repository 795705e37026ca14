internal import Glibc

/// Reports on its own thread when files appear in a folder or disappear from it (inotify(7)).
///
/// It misses changes that another machine makes on a shared file system.
package final class FolderWatch: Sendable {
    private let descriptor: Int32
    private let wakeUp: EventPoll.WakeUp
    private let isStopped = Lock(false)
    private let thread = Lock<JoinableThread?>(nil)

    private static let changesTag: UInt64 = 1

    /// Watches a folder from now on, so that a look at it after this misses no change.
    ///
    /// - Parameter path: The folder, which must exist.
    /// - Throws: When the kernel has no watch left, or there is no such folder.
    package init(_ path: String) throws(SystemError) {
        wakeUp = try EventPoll.WakeUp()
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { throw .last("watch", path) }
        // From here on deinit closes the open descriptor.
        let events = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM)
        let code = unsafe path.withSystemText { unsafe inotify_add_watch(descriptor, $0, events) }
        guard code >= 0 else { throw .last("watch", path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Starts to report; call it once.
    ///
    /// - Parameter didChange: Called on the watch's thread; several changes may be one call.
    /// - Throws: When no thread is available.
    package func start(_ didChange: @escaping @Sendable () -> Void) throws(SystemError) {
        let started = try JoinableThread(name: "folder") { [self] in listen(didChange) }
        thread.withLock { $0 = started }
    }

    /// Ends the thread; makes no calls afterwards.
    package func stop() {
        isStopped.withLock { $0 = true }
        wakeUp.signal()
        thread.withLock { $0.take() }?.join()
    }

    private func listen(_ didChange: () -> Void) {
        let poll = EventPoll(wakeUp)
        guard (try? poll.watch(descriptor, for: .readable, tag: Self.changesTag)) != nil else {
            return
        }
        var events: [EventPoll.Event] = []
        while true {
            poll.wait(milliseconds: -1, into: &events)
            if isStopped.withLock({ $0 }) { return }
            if drain() { didChange() }
        }
    }

    /// Drops the waiting events, whose names do not matter; returns whether there was one.
    private func drain() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isFound = false
        while unsafe buffer.withUnsafeMutableBytes({
            unsafe read(descriptor, $0.baseAddress, $0.count)
        }) > 0 {
            isFound = true
        }
        return isFound
    }
}
