internal import CSystem
internal import Glibc

/// The files that killed processes have left under hidden names.
package enum Leftovers {
    /// The folders in which this process has looked for leftovers.
    private static let examined = Lock(Set<Folder.Identity>())
    /// A folder with more names is not searched.
    private static let mostNames = 4096
    /// So many folders are remembered.
    private static let mostFolders = 1024

    /// Removes the files that killed processes left in a folder under temporary names, once in the
    /// life of this process.
    static func remove(in folder: Folder) {
        guard let identity = try? folder.identity,
            examined.withLock({ folders in
                if folders.count >= mostFolders { folders = [] }
                return folders.insert(identity).inserted
            })
        else { return }
        let names = try? Folder.names(in: folder.path, limit: mostNames) {
            TemporaryName.isWellFormed($0)
        }
        for name in names.flatMap(\.self) ?? [] { remove(name, in: folder) }
    }

    /// Removes the kept name of a file that has its final name, too: the process that published it
    /// by link(2) was killed before unlink(2).
    package static func removeSecondName(_ keptName: String, of name: String, in folder: Folder) {
        guard !keptName.hasSameBytes(as: name),
            FileNaming.areOfOneFile(keptName, name, in: folder.descriptor)
        else { return }
        folder.remove(keptName)
    }

    /// Removes a file that a killed process left under its temporary name.
    ///
    /// Leaves files that are not certainly of this program and user, and files that are still open:
    /// their process has claimed them.
    ///
    /// - Parameters:
    ///   - name: A name in the folder.
    ///   - folder: The folder.
    /// - Returns: Whether the file was removed.
    @discardableResult
    package static func remove(_ name: String, in folder: Folder) -> Bool {
        guard TemporaryName.isWellFormed(name) else { return false }
        let flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        // NFS locks only files that are open for writing.
        var descriptor = unsafe csystem_openat(folder.descriptor, name, O_RDWR | flags, 0)
        if descriptor < 0 {
            descriptor = unsafe csystem_openat(folder.descriptor, name, O_RDONLY | flags, 0)
        }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let claim = FileClaim(descriptor)
        defer { withExtendedLifetime(claim) {} }
        var status = stat()
        guard claim != nil, unsafe fstat(descriptor, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            TemporaryName.isOwn(name, inode: UInt64(status.st_ino), isEmpty: status.st_size == 0)
        else { return false }
        return unsafe csystem_unlink(folder.descriptor, name) == 0
    }
}

/// The sign that this process uses a file or a folder under a temporary name; it ends with the
/// object or the process.
///
/// It is a lock of flock(2), which ends with its descriptor. On file systems without locks it is an
/// abstract socket with the file's number, which processes of the same machine see.
final class FileClaim: Sendable {
    /// -1 for a lock of flock(2).
    private let socket: Int32

    /// Claims an open file; nil while another descriptor has it (`EWOULDBLOCK`), and where nothing
    /// shows whether one has.
    init?(_ descriptor: Int32) {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            socket = -1
            return
        }
        // EBADF: NFS locks only a file that is open for writing.
        guard errno != EWOULDBLOCK, errno != EBADF else { return nil }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        socket = unsafe csystem_name_socket("runner \(geteuid()) \(status.st_dev) \(status.st_ino)")
        guard socket >= 0 else {
            if errno == EADDRINUSE { errno = EWOULDBLOCK }
            return nil
        }
    }

    deinit {
        if socket >= 0 { close(socket) }
    }
}
