internal import CSystem
internal import Glibc

/// A file that only grows: what is in it is never written again.
package final class AppendFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens a regular file that is there.
    ///
    /// - Parameters:
    ///   - folder: Where the file is.
    ///   - name: The file's name, without a slash; a symbolic link is refused.
    /// - Throws: What open(2) says.
    package init(in folder: Folder, name: String) throws(SystemError) {
        path = folder.path(of: name)
        descriptor = unsafe csystem_openat(
            folder.descriptor,
            name,
            O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
            0
        )
        guard descriptor >= 0 else { throw .last("open", path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Adds bytes at the end; when that fails they are taken back: what may not be on the disk is not to be read from
    /// memory either.
    ///
    /// - Parameters:
    ///   - bytes: What is added.
    ///   - isDurable: Whether it survives a power loss, with all that was added before.
    /// - Throws: What fstat(2), write(2) and fdatasync(2) say. A failure to sync is final: the kernel drops the pages that it
    ///   could not write.
    package func append(_ bytes: [UInt8], isDurable: Bool = true) throws(SystemError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
        do throws(SystemError) {
            try write(bytes)
            guard !isDurable || fdatasync(descriptor) == 0 else { throw .last("sync", path) }
        } catch {
            ftruncate(descriptor, status.st_size)
            throw error
        }
    }

    private func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        let descriptor = descriptor
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest.removeFirst(count)
            } else if errno != EINTR {
                throw .last("write", path)
            }
        }
    }
}
