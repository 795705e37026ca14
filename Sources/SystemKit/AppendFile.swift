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

    /// Adds bytes at the end; when that fails some of them may be there.
    ///
    /// - Throws: What write(2) says.
    package func append(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        let descriptor = descriptor
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest.removeFirst(count)
            } else if errno != EINTR {
                throw .last("write", path)
            }
        }
    }

    /// Makes what was added survive a power loss.
    ///
    /// A failure is final: the kernel drops the pages that it could not write.
    package func sync() throws(SystemError) {
        guard fdatasync(descriptor) == 0 else { throw .last("sync", path) }
    }
}
