internal import CSystem
internal import Glibc

/// A lock between processes: held while this object lives, and dropped by the kernel when the process dies (flock(2)).
///
/// The file that carries it is never deleted: who waits for it would hold the lock of a file that nobody else finds.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// How long to sleep before the lock is asked for again.
    private static let interval = timespec(tv_sec: 0, tv_nsec: 5_000_000)

    /// Takes the lock, and makes its file when there is none.
    ///
    /// - Parameters:
    ///   - folder: Where the file is.
    ///   - name: The file's name, without a slash.
    ///   - deadline: A reading of `CLOCK_MONOTONIC` in nanoseconds up to which whoever holds it is waited for.
    /// - Throws: What open(2) and flock(2) say; `EWOULDBLOCK` when the wait was in vain.
    package init(in folder: Folder, name: String, until deadline: Int64) throws(SystemError) {
        let path = folder.path(of: name)
        let descriptor = unsafe csystem_openat(
            folder.descriptor,
            name,
            O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
            0o600
        )
        guard descriptor >= 0 else { throw .last("open", path) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let isBusy = errno == EWOULDBLOCK || errno == EINTR
            guard isBusy, Clock.monotonicNanoseconds() < deadline else {
                let error = SystemError.last("lock", path)
                close(descriptor)
                throw error
            }
            var interval = Self.interval
            unsafe nanosleep(&interval, nil)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}
