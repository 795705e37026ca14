internal import CSystem
internal import Glibc

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
