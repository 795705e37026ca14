internal import Glibc

/// The present occupant of a path for a file to be written.
package enum PathOccupant: Sendable, Hashable {
    case nothing
    /// A regular file or a link to one.
    case file
    /// A symbolic link to nothing.
    case danglingLink
    /// Something that a file must not replace: a folder (`EISDIR`), a device, a pipe, a socket, or
    /// a link into /proc such as /dev/stdout, which leads to an open stream (`EINVAL`).
    case other(SystemError)

    /// Looks at a path; an inaccessible path counts as nothing, since the later use reports the
    /// error.
    package init(at path: String) {
        self.init(path, in: AT_FDCWD, path: path)
    }

    /// Looks at a name in an open folder; `path` is for messages.
    init(_ name: String, in folder: Int32, path: String) {
        var status = stat()
        guard Self.look(folder, name, &status, AT_SYMLINK_NOFOLLOW) else {
            self = .nothing
            return
        }
        if status.st_mode & S_IFMT == S_IFLNK {
            if Self.isLinkIntoProc(name, in: folder) {
                self = .other(.notReplaceable(path, type: S_IFLNK))
                return
            }
            guard Self.look(folder, name, &status, 0) else {
                self = .danglingLink
                return
            }
        }
        let type = status.st_mode & S_IFMT
        self = type == S_IFREG ? .file : .other(.notReplaceable(path, type: type))
    }

    /// Why there is no file at the path; nil for nothing and for a file.
    package func fault(at path: String) -> SystemError? {
        switch self {
        case .nothing, .file: return nil
        case .other(let error): return error
        case .danglingLink:
            var error = SystemError(errno: ENOENT, operation: "find a file at", subject: path)
            error.reason = "it is a symbolic link without a target"
            return error
        }
    }

    private static func look(
        _ folder: Int32,
        _ name: String,
        _ status: inout stat,
        _ flags: Int32
    ) -> Bool {
        unsafe name.withSystemText { unsafe fstatat(folder, $0, &status, flags) == 0 }
    }

    private static func isLinkIntoProc(_ name: String, in folder: Int32) -> Bool {
        let start = Array("/proc/".utf8)
        var text = [UInt8](repeating: 0, count: start.count)
        let count = unsafe text.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe name.withSystemText {
                unsafe readlinkat(folder, $0, start, bytes.count)
            }
        }
        return count == start.count && text == start
    }
}

extension SystemError {
    /// The error for a path whose present file must stay.
    static func notReplaceable(_ path: String, type: mode_t) -> SystemError {
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

/// A file that only names another one.
package enum SymbolicLink {
    /// The target of the symbolic link at `path` as written; nil without a link or beyond the
    /// longest path.
    package static func target(of path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe path.withSystemText {
            unsafe readlink($0, &buffer, Int(PATH_MAX))
        }
        guard count >= 0, count < buffer.count else { return nil }
        buffer[count] = 0
        return unsafe String(systemText: buffer)
    }
}
