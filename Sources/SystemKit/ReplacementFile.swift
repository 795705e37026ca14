import Glibc

/// A file that takes the place of the one under its final name when it is complete.
///
/// Has no name while it is written (`O_TMPFILE`), so that nothing is left behind even by `kill -9`; where the file
/// system cannot do that, a hidden temporary in the same folder that is removed when the object goes away.
/// Readable by its owner alone, as are the folders that it creates.
package final class ReplacementFile: PublishableFile {
    /// `O_TMPFILE`, whose macro Swift cannot read.
    private static let unnamed = 0o20000000 | O_DIRECTORY

    private let path: String
    private let folder: String
    private let descriptor: Int32
    /// The hidden name; nil while the file has none.
    private var temporary: String?

    /// Opens the file, with those folders of `path` that are missing.
    package init(path: String) throws(FileFailure) {
        let folder = Self.folder(of: path)
        try Self.createFolders(folder)
        var temporary: String?
        var descriptor = unsafe open(folder, Self.unnamed | O_WRONLY | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            let name = Self.temporaryName(in: folder)
            descriptor = unsafe open(
                name,
                O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC,
                0o600
            )
            temporary = name
        }
        guard descriptor >= 0 else {
            throw FileFailure(operation: "create", path: path, code: errno)
        }
        self.path = path
        self.folder = folder
        self.descriptor = descriptor
        self.temporary = temporary
    }

    deinit {
        close(descriptor)
        if let temporary { unsafe unlink(temporary) }
    }

    package func write(_ bytes: Span<UInt8>) throws(FileFailure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    descriptor,
                    buffer.baseAddress.map { unsafe $0 + written },
                    buffer.count - written
                )
            }
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR {
                throw failure("write", code: count == 0 ? ENOSPC : errno)
            }
        }
    }

    package func publish() throws(FileFailure) {
        // A failed fsync is not repeated: the kernel has dropped the pages.
        guard fsync(descriptor) == 0 else { throw failure("write", code: errno) }
        let name: String
        if let temporary {
            name = temporary
        } else {
            name = Self.temporaryName(in: folder)
            let link = "/proc/self/fd/\(descriptor)"
            guard unsafe linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else {
                throw failure("publish", code: errno)
            }
            temporary = name
        }
        guard unsafe rename(name, path) == 0 else { throw failure("publish", code: errno) }
        temporary = nil
        try syncFolder()
    }

    private func syncFolder() throws(FileFailure) {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("publish", code: errno) }
        defer { close(descriptor) }
        // EINVAL: the file system has nothing to make durable.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw failure("publish", code: errno)
        }
    }

    private func failure(_ operation: String, code: Int32) -> FileFailure {
        FileFailure(operation: operation, path: path, code: code)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func createFolders(_ folder: String) throws(FileFailure) {
        if unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
        if errno == ENOENT, folder != "." {
            try createFolders(Self.folder(of: folder))
            if unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
        }
        throw FileFailure(operation: "create the folder", path: folder, code: errno)
    }

    private static func temporaryName(in folder: String) -> String {
        folder + "/.runner-" + String(UInt64.random(in: .min ... .max), radix: 16) + ".tmp"
    }
}
