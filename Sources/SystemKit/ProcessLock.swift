internal import CSystem
internal import Glibc

/// A lock between processes of which the kernel can say who has it (fcntl(2), F_SETLK); it ends
/// with its process.
///
/// Within a process it locks nobody out, and another opening of its file that is closed there drops
/// it: one object for each file. The file is never deleted. Programs that this one starts do not
/// inherit it.
package final class ProcessLock: Sendable {
    /// Who has it.
    package enum Holder: Sendable, Hashable {
        /// A process by its number, which was its number at that moment.
        case process(Int32)
        /// One that has no number here: it runs in another container, or on another machine.
        case unseen
    }

    private let descriptor: Int32
    private let path: String

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

    deinit { close(descriptor) }

    /// Takes the lock; false when another process has it.
    ///
    /// - Throws: What fcntl(2) says, of a file system without locks in words of our own.
    package func take() throws(SystemError) -> Bool {
        switch csystem_lock(descriptor) {
        case 0: return true
        case EAGAIN: return false
        case let code: throw .notLockable(path, errno: code)
        }
    }

    /// The other process that has it; nil when there is none.
    package var holder: Holder? {
        switch csystem_lock_holder(descriptor) {
        case ..<0: nil
        case 0: .unseen
        case let process: .process(process)
        }
    }
}
