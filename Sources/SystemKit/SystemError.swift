internal import Glibc

/// A system call that failed: which one, on what, and why.
package struct SystemError: Error, Sendable, Hashable {
    /// The `errno` value.
    package var errno: Int32
    /// What was tried, for people: `create`, `write`, `rename`.
    package var operation: String
    /// The path or name that it was tried on.
    package var subject: String
    /// What is said instead of the C library's text, where that alone would tell nobody why.
    package var reason: String?

    package init(errno: Int32, operation: String, subject: String) {
        self.errno = errno
        self.operation = operation
        self.subject = subject
    }

    /// The current `errno` of this thread; call it right after the failing call.
    package static func last(_ operation: String, _ subject: String) -> SystemError {
        SystemError(errno: Glibc.errno, operation: operation, subject: subject)
    }

    /// Such as `cannot write out/a.bin: No space left on device`.
    package var message: String {
        "cannot \(operation) \(subject.shownSystemText): \(reason ?? Self.text(of: errno))"
    }

    /// The C library's text for an `errno` value.
    package static func text(of errno: Int32) -> String {
        if errno == EFBIG {
            return "the file would be larger than this process (`ulimit -f`) "
                + "or the file system lets it be"
        }
        // The texts are constants of the C library; only for unknown numbers is there a buffer of
        // the thread.
        guard let text = unsafe strerror(errno) else { return "error \(errno)" }
        return unsafe String(cString: text)
    }

    /// Whether nothing has that name.
    package var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }

    /// Whether there is no such process.
    package var isNoProcess: Bool { errno == ESRCH }

    /// Whether somebody else holds a lock.
    package var isBusy: Bool { errno == EWOULDBLOCK }

    /// Whether something has the name already.
    package var isTaken: Bool { errno == EEXIST }

    /// Whether a disk or a quota has no room left.
    package var isOutOfRoom: Bool { errno == ENOSPC || errno == EDQUOT }

    /// A full disk, a limit, a permission or a missing file: what the machine's owner has to mend.
    package var isEnvironment: Bool { Self.isEnvironment(errno) }

    /// Whether an `errno` value is one that the machine's owner has to mend.
    package static func isEnvironment(_ errno: Int32) -> Bool {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG, EROFS, EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, EIO, ELOOP,
            ENAMETOOLONG, EMFILE, ENFILE, ESTALE:
            true
        default: false
        }
    }
}

extension SystemError {
    /// The `errno` value of a name that something has already.
    package static var taken: Int { Int(EEXIST) }

    /// What `write` would say at the end of a file that cannot fit.
    package static func diskFull(_ subject: String) -> SystemError {
        SystemError(errno: ENOSPC, operation: "write", subject: subject)
    }

    /// What is refused although the kernel would permit it; `reason` is to say why.
    package static func notPermitted(
        _ operation: String,
        _ subject: String,
        reason: String
    ) -> SystemError {
        var error = SystemError(errno: EPERM, operation: operation, subject: subject)
        error.reason = reason
        return error
    }

    /// What reading from a named pipe says of something else.
    package static func notPipe(_ subject: String) -> SystemError {
        var error = SystemError(errno: EINVAL, operation: "read", subject: subject)
        error.reason = "it is not a named pipe"
        return error
    }
}
