internal import CSystem
internal import Glibc

/// A file without a place in any folder, for a library that reads files by their paths.
package final class MemoryFile: Sendable {
    private let descriptor: Int32

    /// Makes a file of some bytes; throws the error of memfd_create(2) or write(2).
    package init(_ content: [UInt8]) throws(SystemError) {
        descriptor = unsafe csystem_open_memory("runner")
        guard descriptor >= 0 else { throw .last("create", "a file in memory") }
        // Without /proc, libcurl could not open the file by its path.
        guard unsafe access(path, R_OK) == 0 else { throw .last("open", path) }
        var written = 0
        while written < content.count {
            let count = unsafe content.withUnsafeBytes { bytes in
                let rest = unsafe bytes.dropFirst(written)
                return unsafe write(
                    descriptor,
                    UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                    rest.count
                )
            }
            guard count > 0 || count < 0 && errno == EINTR else {
                throw .last("write", "a file in memory")
            }
            written += max(0, count)
        }
    }

    deinit { close(descriptor) }

    /// Opens the file from its beginning, in this process and while this object lives.
    package var path: String { "/proc/self/fd/\(descriptor)" }
}
