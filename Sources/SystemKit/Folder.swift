internal import CSystem
internal import Glibc

/// A folder held open, so that what happens in it does not depend on its path staying the same.
package final class Folder: Sendable {
    package let path: String
    let descriptor: Int32

    /// Opens a folder, making it and its missing parents first when `create` is set.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working folder.
    ///   - create: Whether missing folders are made.
    ///   - mode: The permissions of the folders that are made, before the umask.
    /// - Throws: What open(2) and mkdir(2) say.
    package init(
        path: String,
        create: Bool,
        mode: UInt32 = 0o777
    ) throws(SystemError) {
        let path = path.isEmpty ? "." : path
        var descriptor = Self.open(path)
        if descriptor < 0, errno == ENOENT, create {
            try Self.make(path, mode: mode)
            descriptor = Self.open(path)
        }
        guard descriptor >= 0 else { throw .last("open folder", path) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Makes the names in this folder survive a power loss.
    package func sync() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw .last("sync folder", path) }
    }

    /// What a folder is, whatever path leads to it.
    package struct Identity: Sendable, Hashable {
        /// `st_dev`.
        let device: UInt64
        /// `st_ino`.
        let inode: UInt64
    }

    /// The same for every path to this folder, and no other folder's while this one is open.
    package var identity: Identity {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
            return Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        }
    }

    /// The bytes that an unprivileged writer may still write here; nil when the file system does not say.
    package var availableBytes: Int64? {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0, status.f_blocks > 0 else { return nil }
        let (product, overflow) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : Int64(clamping: product)
    }

    /// Refuses a name under which there is something that a file must not take the place of.
    ///
    /// Free names, regular files, dangling symbolic links and those to regular files pass; a link into /proc, as
    /// /dev/stdout is one, stands for an open stream and does not.
    ///
    /// - Throws: `EISDIR` for a folder, `EINVAL` for a device, a pipe or a socket.
    package func requireReplaceable(_ name: String) throws(SystemError) {
        let path = path.hasSuffix("/") ? path + name : path + "/" + name
        if name.isEmpty || name == "." || name == ".." {
            throw .notReplaceable(path, type: S_IFDIR)
        }
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFLNK {
            if isLinkIntoProc(name) { throw .notReplaceable(path, type: S_IFLNK) }
            guard unsafe fstatat(descriptor, name, &status, 0) == 0 else { return }
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .notReplaceable(path, type: status.st_mode & S_IFMT)
        }
    }

    private func isLinkIntoProc(_ name: String) -> Bool {
        let start = Array("/proc/".utf8)
        var text = [UInt8](repeating: 0, count: start.count)
        let descriptor = descriptor
        let count = unsafe text.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe readlinkat(descriptor, name, start, bytes.count)
        }
        return count == start.count && text == start
    }

    private static func open(_ path: String) -> Int32 {
        unsafe csystem_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    }

    private static func make(_ path: String, mode: UInt32) throws(SystemError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        var current = path.hasPrefix("/") ? "" : "."
        for part in parts {
            current += "/" + part
            if unsafe mkdir(current, mode) != 0, errno != EEXIST {
                throw .last("make folder", current)
            }
        }
    }
}

extension SystemError {
    /// What is under a path is not a file and must stay.
    fileprivate static func notReplaceable(_ path: String, type: mode_t) -> SystemError {
        var error = SystemError(
            errno: type == S_IFDIR ? EISDIR : EINVAL,
            operation: "write",
            subject: path
        )
        error.reason =
            switch type {
            case S_IFDIR: nil
            case S_IFIFO: "it is a named pipe, which a file would replace"
            case S_IFSOCK: "it is a socket, which a file would replace"
            case S_IFLNK: "it is a link to an open stream, which a file would replace"
            default: "it is a device, which a file would replace"
            }
        return error
    }
}
