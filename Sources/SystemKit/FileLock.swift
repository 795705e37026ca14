internal import CSystem
internal import Glibc

/// A lock between processes: held while this object lives, and dropped by the kernel when the
/// process dies (flock(2)).
///
/// The file that carries it is never deleted: who waits for it would hold the lock of a file that
/// nobody else finds. Programs that this one starts do not inherit it.
package final class FileLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// How long to sleep before the lock is asked for again.
    private static let interval = timespec(tv_sec: 0, tv_nsec: 5_000_000)
    /// Of the file's first line, bytes.
    private static let longestNote = 256

    /// Opens the file that carries the lock, which is not taken by that, and makes it when there is
    /// none.
    ///
    /// - Parameters:
    ///   - folder: Where the file is.
    ///   - name: The file's name, without a slash.
    /// - Throws: What open(2) says.
    package init(in folder: Folder, name: String) throws(SystemError) {
        path = folder.path(of: name)
        descriptor = try folder.openToLock(name)
    }

    /// Takes the lock, and makes its file when there is none.
    ///
    /// - Parameters:
    ///   - folder: Where the file is.
    ///   - name: The file's name, without a slash.
    ///   - deadline: A reading of `CLOCK_MONOTONIC` in nanoseconds up to which whoever holds it is
    ///     waited for.
    /// - Throws: What open(2) and flock(2) say; `EWOULDBLOCK` when the wait was in vain.
    package convenience init(
        in folder: Folder,
        name: String,
        until deadline: Int64
    ) throws(SystemError) {
        try self.init(in: folder, name: name)
        while try !take() {
            guard Clock.monotonicNanoseconds() < deadline else {
                throw SystemError(errno: EWOULDBLOCK, operation: "lock", subject: path)
            }
            var interval = Self.interval
            unsafe nanosleep(&interval, nil)
        }
    }

    deinit { close(descriptor) }

    /// Takes the lock; false when another process, or another object in this one, has it.
    ///
    /// - Throws: What flock(2) says, of a file system without locks in words of our own.
    package func take() throws(SystemError) -> Bool {
        if try lock(LOCK_EX | LOCK_NB) { return true }
        return false
    }

    /// Takes the lock as soon as nobody has it any more; blocks the calling thread for so long.
    ///
    /// - Throws: What flock(2) says.
    package func waitAndTake() throws(SystemError) {
        while try !lock(LOCK_EX) {}
    }

    /// Leaves one line in the file for those who find the lock taken; to be called by who has it.
    package func write(note: String) {
        let line = Array("\(note)\n".utf8.prefix(Self.longestNote))
        let descriptor = descriptor
        let count = unsafe line.withUnsafeBytes {
            unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0)
        }
        // What an earlier, longer line has left; a note is worth no failure.
        if count > 0 { _ = ftruncate(descriptor, off_t(count)) }
    }

    /// The line that the last one who took the lock has left; nil without one.
    package var note: String? {
        var bytes = [UInt8](repeating: 0, count: Self.longestNote)
        let descriptor = descriptor
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
        }
        let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Whether it is taken now; false while somebody else has it, or a signal came.
    private func lock(_ operation: Int32) throws(SystemError) -> Bool {
        if flock(descriptor, operation) == 0 { return true }
        if errno == EWOULDBLOCK || errno == EINTR { return false }
        throw .notLockable(path, errno: errno)
    }
}

extension Folder {
    /// Opens the file that carries a lock, and makes it when there is none; who gets the descriptor
    /// closes it.
    func openToLock(_ name: String) throws(SystemError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe csystem_openat(descriptor, name, flags, 0o600)
        guard file >= 0 else { throw .last("open", path(of: name)) }
        return file
    }
}

extension SystemError {
    /// What flock(2) says of a file that cannot be locked.
    static func notLockable(_ path: String, errno: Int32) -> SystemError {
        var error = SystemError(errno: errno, operation: "lock", subject: path)
        switch errno {
        case ENOSYS, EOPNOTSUPP, EINVAL, ENOLCK, EBADF:
            error.reason = "its file system has no locks (\(text(of: errno)))"
        default: break
        }
        return error
    }
}
