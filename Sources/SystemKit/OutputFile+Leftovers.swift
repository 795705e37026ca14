internal import CSystem
internal import Glibc

extension OutputFile {
    /// Removes a file that a killed process left under its temporary name.
    ///
    /// Leaves files that are not certainly of this program and user, and files that are still open:
    /// their process holds a lock.
    ///
    /// - Parameters:
    ///   - name: A name in the folder.
    ///   - folder: The folder.
    /// - Returns: Whether the file was removed.
    @discardableResult
    package static func removeLeftover(_ name: String, in folder: Folder) -> Bool {
        guard TemporaryName.isWellFormed(name) else { return false }
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = unsafe csystem_openat(folder.descriptor, name, flags, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe fstat(descriptor, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            TemporaryName.isOwn(name, inode: UInt64(status.st_ino))
        else { return false }
        return unsafe csystem_unlink(folder.descriptor, name) == 0
    }
}
