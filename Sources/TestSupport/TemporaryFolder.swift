package import Glibc
import SystemKit

/// A test's own folder, removed with its content when released.
package final class TemporaryFolder: Sendable {
    /// Absolute, without a slash at its end.
    package let path: String

    /// The longest `TMPDIR` that leaves room for the paths of sockets in a folder (108 bytes,
    /// unix(7)).
    private static let mostParentBytes = 32

    /// Creates a folder with mode 0700 in `TMPDIR`, or in `/tmp` where that is not set or too long.
    package init() throws {
        let wanted = ProcessContext.variable("TMPDIR") ?? ""
        let isUsable = wanted.hasPrefix("/") && wanted.utf8.count <= Self.mostParentBytes
        let parent = isUsable ? wanted : "/tmp"
        var template = Array("\(parent)/runner-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw SystemError.last("make a folder in", parent)
        }
        path = unsafe template.withUnsafeBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe String(cString: $0) } ?? parent
        }
    }

    deinit { clear() }

    /// Removes the folder now, for objects that are never released.
    package func clear() { remove(".") }

    /// The absolute path of a file in the folder.
    package func path(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// Creates a folder in an existing one.
    package func makeFolder(_ name: String, mode: mode_t = 0o755) throws {
        guard unsafe mkdir(path(name), mode) == 0 else {
            throw SystemError.last("make folder", name)
        }
    }

    /// Writes or replaces a file with exactly that mode and returns its absolute path.
    @discardableResult
    package func write(
        _ bytes: some Sequence<UInt8>,
        to name: String,
        mode: mode_t = 0o644
    ) throws -> String {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let file = try Descriptor("open", name, unsafe open(path(name), flags, 0o600))
        try file.write(Array(bytes))
        guard fchmod(file.number, mode) == 0 else {
            throw SystemError.last("set the mode of", name)
        }
        return path(name)
    }

    /// Writes text as UTF-8.
    @discardableResult
    package func write(_ text: String, to name: String, mode: mode_t = 0o644) throws -> String {
        try write(text.utf8, to: name, mode: mode)
    }

    /// Creates a symbolic link.
    package func link(_ name: String, to target: String) throws {
        guard unsafe symlink(target, path(name)) == 0 else {
            throw SystemError.last("make the link", name)
        }
    }

    /// The bytes of a file.
    package func read(_ name: String) throws -> [UInt8] {
        let file = try Descriptor("open", name, unsafe open(path(name), O_RDONLY | O_CLOEXEC))
        var bytes: [UInt8] = []
        while let more = file.read() {
            if more.isEmpty { return bytes }
            bytes += more
        }
        throw SystemError.last("read", name)
    }

    /// A file's content as text.
    package func text(_ name: String) throws -> String {
        String(decoding: try read(name), as: UTF8.self)
    }

    /// The sorted names in the folder or in a subfolder, including hidden ones.
    package func list(_ name: String = ".") throws -> [String] {
        guard let stream = unsafe opendir(path(name)) else { throw SystemError.last("list", name) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(
                    cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self)
                )
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether a file of that name exists; a dangling symbolic link counts.
    package func contains(_ name: String) -> Bool {
        (try? status(of: name)) != nil
    }

    /// The permission bits, such as 0o644.
    package func mode(of name: String) throws -> mode_t {
        try status(of: name).st_mode & 0o7777
    }

    /// The length of a file, bytes.
    package func size(of name: String) throws -> Int {
        Int(try status(of: name).st_size)
    }

    /// The file's number in its file system (`st_ino`).
    package func inode(of name: String) throws -> UInt64 {
        UInt64(try status(of: name).st_ino)
    }

    /// Waits until a file has at least that many bytes.
    package func waitForSize(of name: String, _ size: Int) throws {
        try wait(for: "\(size) bytes in \(name)") {
            try contains(name) && self.size(of: name) >= size
        }
    }

    /// Waits for a condition in this folder; `what` describes it.
    package func wait(
        for what: String,
        every pause: Duration = .milliseconds(1),
        until holds: () throws -> Bool
    ) throws {
        let deadline = Deadline()
        while try !holds() {
            guard deadline.remainingMilliseconds > 0 else { throw GuardTimeout(what) }
            // The kernel does not report a growing file.
            _ = Readiness.wait(for: [], until: Deadline(after: pause))
        }
    }

    /// Removes a file, or a folder with its content, as far as possible.
    private func remove(_ name: String) {
        if let status = try? status(of: name), status.st_mode & S_IFMT == S_IFDIR {
            for child in (try? list(name)) ?? [] { remove("\(name)/\(child)") }
            unsafe rmdir(path(name == "." ? "" : name))
        } else {
            unsafe unlink(path(name))
        }
    }

    private func status(of name: String) throws -> stat {
        var status = stat()
        guard unsafe lstat(path(name), &status) == 0 else {
            throw SystemError.last("examine", name)
        }
        return status
    }
}
