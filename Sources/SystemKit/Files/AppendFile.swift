internal import CSystem
internal import Glibc

/// A file that only grows, except for one place that may record its progress.
package final class AppendFile: Sendable {
    /// Bytes that replace others in the file.
    package struct Patch: Sendable {
        /// The offset of the first replaced byte; the bytes must be in the file already.
        package var offset: Int64
        /// The new bytes, as many as are replaced.
        package var bytes: [UInt8]

        /// Creates a patch of bytes from `offset` on.
        package init(offset: Int64, bytes: [UInt8]) {
            self.offset = offset
            self.bytes = bytes
        }
    }

    private let descriptor: Int32
    private let path: String

    /// Opens an existing regular file.
    ///
    /// - Parameters:
    ///   - folder: Where the file is.
    ///   - name: The file's name, without a slash; a symbolic link is refused.
    /// - Throws: The error of open(2).
    package init(in folder: Folder, name: String) throws(SystemError) {
        path = folder.path(of: name)
        descriptor = unsafe csystem_openat(
            folder.descriptor,
            name,
            O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
            0
        )
        guard descriptor >= 0 else { throw .last("open", path) }
    }

    /// Appends text to a file of another program, and makes the file if there is none.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - text: The text, UTF-8.
    /// - Throws: The errors of open(2) and write(2).
    package static func append(to path: String, _ text: String) throws(SystemError) {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
        let file = unsafe csystem_openat(AT_FDCWD, path, flags, 0o644)
        guard file >= 0 else { throw .last("open", path) }
        defer { Glibc.close(file) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.write(file, buffer.baseAddress, buffer.count)
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw .last("write", path)
            }
            rest = rest.dropFirst(count)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Appends bytes; a failed append is undone, because bytes that may be missing on the disk must
    /// not be read from memory either.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to append.
    ///   - length: The file's expected length. A file of another length was changed by another
    ///     program and stays as it is.
    ///   - isDurable: Whether the bytes, and all bytes appended before, survive a power loss.
    ///   - patch: Bytes to write elsewhere once `bytes` are on the disk. The patch survives the
    ///     process at once, and a power loss from the next durable append on.
    /// - Throws: The errors of fstat(2), write(2) and fdatasync(2). A failure to sync is final: the
    ///   kernel drops the pages that it could not write.
    package func append(
        _ bytes: [UInt8],
        at length: Int64,
        isDurable: Bool = true,
        then patch: Patch? = nil
    ) throws(SystemError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
        guard status.st_size == length else {
            throw .notPermitted("write", path, reason: "another program has changed the file")
        }
        do throws(SystemError) {
            try write(bytes, at: length)
            guard !isDurable || fdatasync(descriptor) == 0 else { throw .last("sync", path) }
            if let patch { try write(patch.bytes, at: patch.offset) }
        } catch {
            ftruncate(descriptor, off_t(length))
            throw error
        }
    }

    private func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        var rest = bytes[...]
        let descriptor = descriptor
        while !rest.isEmpty {
            let place = offset + Int64(bytes.count - rest.count)
            let count = unsafe rest.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(place))
            }
            if count > 0 {
                rest.removeFirst(count)
            } else if errno != EINTR {
                throw .last("write", path)
            }
        }
    }
}
