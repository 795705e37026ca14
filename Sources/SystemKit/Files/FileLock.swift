internal import CSystem
internal import Glibc

/// A lock between processes, held while this object lives; the kernel drops it when the process
/// dies (flock(2)).
///
/// The lock file is never deleted: a waiting process would then lock a file that no other process
/// finds. Programs that this one starts do not inherit the lock.
package final class FileLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// The pause between attempts to take the lock.
    private static let interval = timespec(tv_sec: 0, tv_nsec: 5_000_000)
    /// The longest first line of the file, bytes.
    private static let longestNote = 256

    /// Opens the lock file, and creates it if needed, without taking the lock.
    ///
    /// - Parameters:
    ///   - folder: Where the file is.
    ///   - name: The file's name, without a slash.
    /// - Throws: The error of open(2).
    package init(in folder: Folder, name: String) throws(SystemError) {
        path = folder.path(of: name)
        descriptor = try folder.openToLock(name)
    }

    /// Takes the lock, and creates its file if needed.
    ///
    /// - Parameters:
    ///   - folder: Where the file is.
    ///   - name: The file's name, without a slash.
    ///   - deadline: A reading of `CLOCK_MONOTONIC` in nanoseconds until which to wait for the
    ///     lock.
    /// - Throws: The errors of open(2) and flock(2); `EWOULDBLOCK` when the wait was in vain.
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
    /// - Throws: The error of flock(2), with its own text for a file system without locks.
    package func take() throws(SystemError) -> Bool {
        if try lock(LOCK_EX | LOCK_NB) { return true }
        return false
    }

    /// Whether another process, or another object in this one, has the lock now.
    ///
    /// The look shares the lock until this object goes, so that two looks do not see each other.
    ///
    /// - Throws: The error of flock(2), with its own text for a file system without locks.
    package func isTaken() throws(SystemError) -> Bool { try !lock(LOCK_SH | LOCK_NB) }

    /// Takes the lock; blocks the calling thread until it is free.
    ///
    /// - Throws: The error of flock(2).
    package func waitAndTake() throws(SystemError) {
        while try !lock(LOCK_EX) {}
    }

    /// Writes one line into the file, for processes that find the lock taken; needs the lock.
    package func write(note: String) {
        let line = Array("\(note)\n".utf8.prefix(Self.longestNote))
        let descriptor = descriptor
        let count = unsafe line.withUnsafeBytes {
            unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0)
        }
        // Remove the rest of a longer, older line; a note is worth no failure.
        if count > 0 { _ = ftruncate(descriptor, off_t(count)) }
    }

    /// The note of the last process that took the lock; nil without one.
    package var note: String? {
        var bytes = [UInt8](repeating: 0, count: Self.longestNote)
        let descriptor = descriptor
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
        }
        let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Whether the lock is taken now; false while another owner has it, or after a signal.
    private func lock(_ operation: Int32) throws(SystemError) -> Bool {
        if flock(descriptor, operation) == 0 { return true }
        if errno == EWOULDBLOCK || errno == EINTR { return false }
        throw .notLockable(path, errno: errno)
    }
}

extension Folder {
    /// Opens the lock file, and creates it if needed; the caller closes the descriptor.
    func openToLock(_ name: String) throws(SystemError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe csystem_openat(descriptor, name, flags, 0o600)
        guard file >= 0 else { throw .last("open", path(of: name)) }
        return file
    }
}

extension SystemError {
    /// The error of flock(2) for a file that cannot be locked.
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

/// A lock between processes whose holder the kernel knows (fcntl(2), F_SETLK); it ends with its
/// process.
///
/// It does not exclude threads of one process, and closing another descriptor of its file there
/// drops it: use one object per file. The file is never deleted. Started programs do not inherit
/// the lock.
package final class ProcessLock: Sendable {
    /// The process that holds the lock.
    package enum Holder: Sendable, Hashable {
        /// The number of the process at that moment.
        case process(Int32)
        /// A process without a number here: in another container or on another machine.
        case unseen
    }

    private let descriptor: Int32
    private let path: String

    /// Opens the lock file, and creates it if needed, without taking the lock.
    ///
    /// - Parameters:
    ///   - folder: Where the file is.
    ///   - name: The file's name, without a slash.
    /// - Throws: The error of open(2).
    package init(in folder: Folder, name: String) throws(SystemError) {
        path = folder.path(of: name)
        descriptor = try folder.openToLock(name)
    }

    deinit { close(descriptor) }

    /// Takes the lock; false when another process has it.
    ///
    /// - Throws: The error of fcntl(2), with its own text for a file system without locks.
    package func take() throws(SystemError) -> Bool {
        switch csystem_lock(descriptor) {
        case 0: return true
        case EAGAIN: return false
        case let code: throw .notLockable(path, errno: code)
        }
    }

    /// The other process that holds the lock; nil if none.
    package var holder: Holder? {
        switch csystem_lock_holder(descriptor) {
        case ..<0: nil
        case 0: .unseen
        case let process: .process(process)
        }
    }
}
