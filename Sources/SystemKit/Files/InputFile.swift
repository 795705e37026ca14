internal import CSystem
internal import Glibc

/// A regular file open for reading, with its properties at that time.
@safe package final class InputFile: Sendable {
    /// The properties that must stay the same while a file is read.
    package struct Identity: Sendable, Hashable {
        /// The file's size, bytes.
        package var size: Int64
        /// The time of the last change of its content, nanoseconds since 1970.
        package var modificationNanoseconds: Int64
        /// The file's number in its file system, which a replacement does not share.
        package var inode: UInt64
    }

    /// Why other users may know or may have written a file's content.
    package enum Exposure: Sendable, Hashable {
        /// The file belongs to another user, except root.
        case foreignOwner
        /// Others or the group may read, write or execute it; the group may read a file of root.
        case openMode
    }

    /// The type of a file.
    package enum Kind: Sendable, Hashable {
        case regular
        /// A FIFO.
        case pipe
        case other
    }

    /// The properties when the file was opened.
    package let identity: Identity
    /// The content of a file whose size fstat(2) does not report, read when it was opened; nil for
    /// usual files.
    ///
    /// The kernel has such files in `/proc` and `/sys`.
    package let unsizedContent: [UInt8]?
    let descriptor: Int32
    /// The file's folder; nil when `name` is a path.
    private let folder: Folder?
    private let name: String
    private let owner: uid_t
    private let mode: mode_t

    /// Opens `path`; rejects anything but a regular file with `EISDIR` or `EINVAL`.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working folder.
    ///   - followsLink: Whether to follow a symbolic link; otherwise a link fails with `ELOOP`.
    /// - Throws: The error of open(2).
    package convenience init(path: String, followsLink: Bool = true) throws(SystemError) {
        try self.init(nil, path, followsLink ? 0 : O_NOFOLLOW)
    }

    /// Opens a file of a folder; rejects anything but a regular file with `EISDIR` or `EINVAL`.
    package convenience init(in folder: Folder, name: String) throws(SystemError) {
        try self.init(folder, name, 0)
    }

    private convenience init(_ folder: Folder?, _ name: String, _ flag: Int32) throws(SystemError) {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | flag
        let start = folder?.descriptor ?? AT_FDCWD
        try self.init(opened: unsafe csystem_openat(start, name, flags, 0), folder, name)
    }

    /// Opens a regular file below a folder: no link and no `..` leads out of the folder.
    ///
    /// - Parameters:
    ///   - path: Relative to the folder.
    ///   - root: The folder's path, whose own links are followed.
    /// - Throws: The error of open(2) or openat2(2); `EXDEV` for a path that leads out.
    package convenience init(path: String, beneath root: String) throws(SystemError) {
        let name = root + (root.utf8.last == UInt8(ascii: "/") ? "" : "/") + path
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        try self.init(opened: unsafe csystem_open_beneath(root, path, flags), nil, name)
    }

    /// Opens a regular file; with `root`, no link leads out of that folder, even a late one.
    ///
    /// - Parameters:
    ///   - path: Absolute.
    ///   - root: An absolute path, whose own links are followed; nil for any file.
    /// - Throws: The error of open(2) or openat2(2); `EPERM` for a path that leads out.
    package convenience init(path: String, within root: String?) throws(SystemError) {
        guard let root else {
            try self.init(path: path)
            return
        }
        let folder = Folder.canonicalPath(root) + "/"
        let file = Folder.canonicalPath(path)
        let isInside = file.hasBytePrefix(folder)
        let inner = String(Substring(file.utf8.dropFirst(folder.utf8.count)))
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        var opened = unsafe isInside ? csystem_open_beneath(folder, inner, flags) : -1
        if isInside, opened < 0, errno == ENOSYS {
            opened = unsafe csystem_openat(AT_FDCWD, file, flags | O_NOFOLLOW, 0)
        }
        guard isInside, opened >= 0 || errno != EXDEV else {
            throw .notPermitted("read", path, reason: "a link leads out of the folder \(root)")
        }
        try self.init(opened: opened, nil, path)
    }

    /// Adopts a descriptor; for a negative one, errno has the failure.
    private init(opened: Int32, _ folder: Folder?, _ name: String) throws(SystemError) {
        self.folder = folder
        self.name = name
        descriptor = opened
        guard descriptor >= 0 else { throw .last("open", Self.path(folder, name)) }
        do throws(SystemError) {
            let status = try Self.status(of: descriptor, path: Self.path(folder, name))
            unsizedContent = try Self.unsizedContent(of: opened, status) { Self.path(folder, name) }
            identity = unsizedContent.map { Identity(unsized: $0) } ?? Identity(status)
            owner = status.st_uid
            mode = status.st_mode
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// The file's permission bits.
    package var permissions: UInt16 { UInt16(mode & 0o7777) }

    /// Nil when the file belongs to this user or root and is private.
    package var exposure: Exposure? {
        guard owner == 0 || owner == geteuid() else { return .foreignOwner }
        // Service managers and container engines pass secrets in files of root readable by the
        // group.
        let forbidden: mode_t = owner == 0 ? 0o037 : 0o077
        return mode & forbidden == 0 ? nil : .openMode
    }

    /// The type of the file at `path`, without opening it: opening a pipe would affect its writers.
    ///
    /// - Throws: The error of stat(2), or of access(2) for reading.
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

    /// Whether the file has not changed since it was opened.
    package var isUnchanged: Bool {
        unsizedContent != nil
            || (try? Self.status(of: descriptor, path: path)).map { Identity($0) } == identity
    }

    /// Sets the modification time to now, as a note of use; ignores failures.
    package func touch() {
        futimens(descriptor, nil)
    }

    /// Lets a program that gets the descriptor read from the first byte.
    func rewind() { lseek(descriptor, 0, SEEK_SET) }

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
        if let unsizedContent {
            let rest = unsizedContent.dropFirst(Int(clamping: offset)).prefix(buffer.count)
            unsafe buffer.copyBytes(from: rest)
            return rest.count
        }
        return try unsafe Self.read(descriptor, into: buffer, at: offset) { path }
    }

    private static func read(
        _ descriptor: Int32,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64,
        path: () -> String
    ) throws(SystemError) -> Int {
        while true {
            let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if Glibc.errno != EINTR { throw .last("read", path()) }
        }
    }

    /// Reads up to `count` bytes from `offset`; returns fewer only at the end of the file.
    ///
    /// - Parameters:
    ///   - offset: The offset from the beginning, at least 0.
    ///   - count: At least 0.
    /// - Returns: The bytes at the time of the read.
    /// - Throws: The error of pread(2).
    package func read(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        var result: [UInt8] = []
        while result.count < count {
            let rest = try readOnce(at: offset + Int64(result.count), count: count - result.count)
            if rest.isEmpty { break }
            if result.isEmpty { result = rest } else { result += rest }
        }
        return result
    }

    /// Reads the file from its beginning, at most `limit` bytes.
    ///
    /// - Parameter limit: The most bytes to read, at least 0.
    /// - Returns: The bytes at the time of each read; fewer than `limit` only at the file's end.
    /// - Throws: The error of pread(2).
    package func readPrefix(limit: Int) throws(SystemError) -> [UInt8] {
        // One byte more than expected, so that the first read finds the end.
        var room = Swift.min(Int(clamping: identity.size), limit - 1) + 1
        var result = try readOnce(at: 0, count: room)
        var length = result.count
        while length > 0, length == room, result.count < limit {
            room = Swift.min(Swift.max(result.count, 4096), limit - result.count)
            let more = try readOnce(at: Int64(result.count), count: room)
            length = more.count
            result += more
        }
        return result
    }

    /// The bytes that one pread(2) returns.
    private func readOnce(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        try unsafe [UInt8](unsafeUninitializedCapacity: count) {
            (buffer, length) throws(SystemError) in
            unsafe length = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
        }
    }

    private var path: String { Self.path(folder, name) }

    /// The largest file with a wrong size that is expected: a page of the largest kind.
    private static let largestPage = 64 << 10
    /// The most bytes of a file without a size.
    private static let largestUnsized = 64 << 20

    /// Reads a file for which fstat(2) reports no size, or only the size of a page; nil when the
    /// size is correct.
    private static func unsizedContent(
        of descriptor: Int32,
        _ status: stat,
        path: () -> String
    ) throws(SystemError) -> [UInt8]? {
        guard status.st_size == 0 || status.st_blocks == 0 && status.st_size <= largestPage else {
            return nil
        }
        var content: [UInt8] = []
        while content.count <= largestUnsized {
            let piece = try unsafe [UInt8](unsafeUninitializedCapacity: largestPage) {
                (buffer, length) throws(SystemError) in
                unsafe length = try read(
                    descriptor,
                    into: UnsafeMutableRawBufferPointer(buffer),
                    at: Int64(content.count),
                    path: path
                )
            }
            if piece.isEmpty { break }
            content += piece
        }
        // A usual file may have grown meanwhile.
        let size = try Self.status(of: descriptor, path: path()).st_size
        guard size == status.st_size, content.count != Int(size) else { return nil }
        guard content.count <= largestUnsized else {
            let reason = "it has no size, and more than \(largestUnsized >> 20) MiB"
            throw .notPermitted("read", path(), reason: reason)
        }
        return content
    }

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
    /// The times and numbers of the kernel's files are made when they are looked at.
    fileprivate init(unsized content: [UInt8]) {
        size = Int64(content.count)
        modificationNanoseconds = 0
        inode = 0
    }

    /// The properties of the regular file at a path, also without the permission to read it; nil
    /// for a link, for anything else, and without a file.
    package init?(at path: String) {
        var status = stat()
        guard unsafe path.withSystemText({ unsafe lstat($0, &status) }) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        size = Int64(status.st_size)
        modificationNanoseconds =
            Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
    }
}
