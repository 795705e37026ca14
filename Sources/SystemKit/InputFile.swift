internal import CSystem
internal import Glibc

/// A regular file opened for reading, with what it was when it was opened.
@safe package final class InputFile {
    /// What must stay the same while a file is read.
    package struct Identity: Sendable, Hashable {
        package var size: Int64
        package var modificationNanoseconds: Int64
        package var inode: UInt64
    }

    package let identity: Identity
    private let descriptor: Int32
    private let path: String

    /// Opens `path`; anything but a regular file is refused with `EISDIR` or `EINVAL`.
    package init(path: String) throws(SystemError) {
        let descriptor = unsafe csystem_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { throw .last("open", path) }
        do throws(SystemError) {
            identity = try Self.identity(of: descriptor, path: path)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Whether the file still is what it was when it was opened.
    package var isUnchanged: Bool {
        (try? Self.identity(of: descriptor, path: path)) == identity
    }

    /// Reads from `offset` into `buffer`; returns the number of bytes, 0 at the end of the file.
    package func read(
        into buffer: inout MutableRawSpan,
        at offset: Int64
    ) throws(SystemError) -> Int {
        while true {
            let descriptor = descriptor
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
            }
            if count >= 0 { return count }
            if Glibc.errno != EINTR { throw .last("read", path) }
        }
    }

    /// Reads the whole file.
    ///
    /// - Parameter limit: The most bytes to read.
    /// - Returns: The bytes, as they were at the time of each read.
    /// - Throws: `EFBIG` for a longer file.
    package func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        guard identity.size <= limit else {
            throw SystemError(errno: EFBIG, operation: "read", subject: path)
        }
        var result: [UInt8] = []
        result.reserveCapacity(Int(identity.size) + 1)
        var chunk = [UInt8](repeating: 0, count: Swift.min(1 << 20, Int(identity.size) + 1))
        while true {
            var span = chunk.mutableSpan
            var raw = unsafe span.mutableBytes
            let count = try read(into: &raw, at: Int64(result.count))
            if count == 0 { return result }
            guard result.count + count <= limit else {
                throw SystemError(errno: EFBIG, operation: "read", subject: path)
            }
            result.append(contentsOf: chunk[..<count])
        }
    }

    private static func identity(
        of descriptor: Int32,
        path: String
    ) throws(SystemError) -> Identity {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last("open", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let code = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
            throw SystemError(errno: code, operation: "read", subject: path)
        }
        return Identity(
            size: Int64(status.st_size),
            modificationNanoseconds: Int64(status.st_mtim.tv_sec) &* 1_000_000_000
                &+ Int64(status.st_mtim.tv_nsec),
            inode: UInt64(status.st_ino)
        )
    }
}
