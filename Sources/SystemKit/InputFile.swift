internal import CSystem
internal import Glibc

/// A regular file opened for reading, with what it was when it was opened.
@safe package final class InputFile: Sendable {
    /// What must stay the same while a file is read.
    package struct Identity: Sendable, Hashable {
        package var size: Int64
        package var modificationNanoseconds: Int64
        package var inode: UInt64
    }

    /// Why somebody else may know or may have written what is in a file.
    package enum Exposure: Sendable, Hashable {
        /// It belongs to another user, and not to root.
        case foreignOwner
        /// Others may read, write or execute it, or its group may; one of root may let its group
        /// read it.
        case openMode
    }

    /// What stands under a name.
    package enum Kind: Sendable, Hashable {
        case regular
        /// A FIFO.
        case pipe
        case other
    }

    package let identity: Identity
    private let descriptor: Int32
    /// The folder that the name is one of; nil for a path.
    private let folder: Folder?
    private let name: String
    private let owner: uid_t
    private let mode: mode_t

    /// Opens `path`; anything but a regular file is refused with `EISDIR` or `EINVAL`.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working folder.
    ///   - followsLink: Whether a symbolic link under that name is followed; otherwise it is
    ///     refused with `ELOOP`.
    /// - Throws: What open(2) says.
    package convenience init(path: String, followsLink: Bool = true) throws(SystemError) {
        try self.init(nil, path, followsLink ? 0 : O_NOFOLLOW)
    }

    /// Opens a file of a folder; anything but a regular one is refused with `EISDIR` or `EINVAL`.
    package convenience init(in folder: Folder, name: String) throws(SystemError) {
        try self.init(folder, name, 0)
    }

    private init(_ folder: Folder?, _ name: String, _ flag: Int32) throws(SystemError) {
        self.folder = folder
        self.name = name
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | flag
        let start = folder?.descriptor ?? AT_FDCWD
        descriptor = unsafe csystem_openat(start, name, flags, 0)
        guard descriptor >= 0 else { throw .last("open", Self.path(folder, name)) }
        do throws(SystemError) {
            let status = try Self.status(of: descriptor, path: Self.path(folder, name))
            identity = Identity(status)
            owner = status.st_uid
            mode = status.st_mode
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Its permission bits.
    package var permissions: UInt16 { UInt16(mode & 0o7777) }

    /// Nil when the file is this user's or root's, and nobody else's business.
    package var exposure: Exposure? {
        guard owner == 0 || owner == geteuid() else { return .foreignOwner }
        // Service managers and container engines hand secrets over by root's file and the group of
        // the process.
        let forbidden: mode_t = owner == 0 ? 0o037 : 0o077
        return mode & forbidden == 0 ? nil : .openMode
    }

    /// What stands under `path`, which is not opened: those at the other end of a pipe would
    /// notice.
    ///
    /// - Throws: What stat(2) says, and what access(2) says of reading.
    package static func kind(of path: String) throws(SystemError) -> Kind {
        var status = stat()
        guard unsafe path.withSystemText({ unsafe stat($0, &status) }) == 0 else {
            throw .last("open", path)
        }
        guard unsafe path.withSystemText({ unsafe access($0, R_OK) }) == 0 else {
            throw .last("open", path)
        }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .regular
        case S_IFIFO: .pipe
        default: .other
        }
    }

    /// Whether the file still is what it was when it was opened.
    package var isUnchanged: Bool {
        (try? Self.status(of: descriptor, path: path)).map { Identity($0) } == identity
    }

    /// Notes that the file was of use just now, as its modification time; nothing happens when that
    /// cannot be done.
    package func touch() {
        futimens(descriptor, nil)
    }

    /// Reads from `offset` into `buffer`; returns the number of bytes, 0 at the end of the file.
    package func read(
        into buffer: inout MutableRawSpan,
        at offset: Int64
    ) throws(SystemError) -> Int {
        try unsafe buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
            unsafe try read(into: bytes, at: offset)
        }
    }

    private func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(SystemError) -> Int {
        while true {
            let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if Glibc.errno != EINTR { throw .last("read", path) }
        }
    }

    /// Reads up to `count` bytes from `offset`; fewer only where the file ends.
    ///
    /// - Parameters:
    ///   - offset: From the file's beginning, at least 0.
    ///   - count: At least 0.
    /// - Returns: The bytes, as they were at the time of the read.
    /// - Throws: What pread(2) says.
    package func read(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        var result: [UInt8] = []
        while result.count < count {
            let rest = try readOnce(at: offset + Int64(result.count), count: count - result.count)
            if rest.isEmpty { break }
            if result.isEmpty { result = rest } else { result += rest }
        }
        return result
    }

    /// Reads the file from its beginning, and no more of it than `limit` bytes.
    ///
    /// - Parameter limit: The most bytes to read, at least 0.
    /// - Returns: The bytes, as they were at the time of each read; fewer than `limit` only when
    ///   that is all.
    /// - Throws: What pread(2) says.
    package func readPrefix(limit: Int) throws(SystemError) -> [UInt8] {
        // One byte more than there should be, so that the first read finds the end; files of the
        // kernel do not say.
        let isOfKernel = identity.size == 0
        var room = Swift.min(isOfKernel ? 4096 : Int(clamping: identity.size), limit - 1) + 1
        var result = try readOnce(at: 0, count: room)
        var length = result.count
        // Only the files of the kernel are read in pieces of its own choice.
        while length > 0, length == room || isOfKernel, result.count < limit {
            room = Swift.min(Swift.max(result.count, 4096), limit - result.count)
            let more = try readOnce(at: Int64(result.count), count: room)
            length = more.count
            result += more
        }
        return result
    }

    /// The bytes that one pread(2) gives.
    private func readOnce(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        try unsafe [UInt8](unsafeUninitializedCapacity: count) {
            (buffer, length) throws(SystemError) in
            unsafe length = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
        }
    }

    private var path: String { Self.path(folder, name) }

    private static func path(_ folder: Folder?, _ name: String) -> String {
        folder?.path(of: name) ?? name
    }

    private static func status(
        of descriptor: Int32,
        path: @autoclosure () -> String
    ) throws(SystemError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last("open", path()) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let code = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
            var error = SystemError(errno: code, operation: "read", subject: path())
            error.reason =
                switch status.st_mode & S_IFMT {
                case S_IFDIR: nil
                case S_IFIFO: "it is a named pipe, not a file"
                case S_IFSOCK: "it is a socket, not a file"
                default: "it is a device, not a file"
                }
            throw error
        }
        return status
    }
}

extension InputFile.Identity {
    fileprivate init(_ status: stat) {
        size = Int64(status.st_size)
        modificationNanoseconds =
            Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
    }
}
