internal import Glibc

/// A failed system call: the operation, its subject and the reason.
package struct SystemError: Error, Sendable, Hashable {
    /// The `errno` value.
    package var errno: Int32
    /// The failed operation, for messages: `create`, `write`, `rename`.
    package var operation: String
    /// The path or name of the subject.
    package var subject: String
    /// Replaces the C library's text where that does not explain the error.
    package var reason: String?

    /// Creates an error without a `reason`: its text is that of the C library.
    package init(errno: Int32, operation: String, subject: String) {
        self.errno = errno
        self.operation = operation
        self.subject = subject
    }

    /// The error of the thread's current `errno`; call it right after the failed call.
    package static func last(_ operation: String, _ subject: String) -> SystemError {
        SystemError(errno: Glibc.errno, operation: operation, subject: subject)
    }

    /// A library that an operation needs and that cannot be loaded.
    package static func missingLibrary(
        _ library: String,
        needed operation: String,
        _ subject: String
    ) -> SystemError {
        var error = SystemError(errno: ENOSYS, operation: operation, subject: subject)
        error.reason = "the library `\(library)` cannot be loaded"
        return error
    }

    /// A pipe or terminal whose reader takes nothing.
    package static func unread(_ subject: String) -> SystemError {
        var error = SystemError(errno: ETIMEDOUT, operation: "write to", subject: subject)
        error.reason = "its reader has stopped reading"
        return error
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
        // The texts are constants of the C library; unknown numbers use a buffer of the thread.
        guard let text = unsafe strerror(errno) else { return "error \(errno)" }
        return unsafe String(cString: text)
    }

    /// Whether a path leads out of the folder in which it must stay.
    package var leadsOut: Bool { errno == EXDEV }

    /// Whether the file does not exist.
    package var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }

    /// Whether the process does not exist.
    package var isNoProcess: Bool { errno == ESRCH }

    /// Whether another owner holds the lock.
    package var isBusy: Bool { errno == EWOULDBLOCK }

    /// Whether the name is taken.
    package var isTaken: Bool { errno == EEXIST }

    /// Whether a folder could not get its name, because another file has it.
    var isOfOccupant: Bool { errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR }

    /// Whether a disk or a quota has no room left.
    package var isOutOfRoom: Bool { errno == ENOSPC || errno == EDQUOT }

    /// A full disk, a limit, a permission or a missing file, which the machine's owner must fix.
    package var isEnvironment: Bool { Self.isEnvironment(errno) }

    /// Whether an `errno` value means a problem that the machine's owner must fix: any but a taken
    /// name, be it of a file or of a folder.
    package static func isEnvironment(_ errno: Int32) -> Bool {
        errno != EEXIST && errno != ENOTEMPTY
    }
}

extension SystemError {
    /// The `errno` value for a taken name.
    package static var taken: Int { Int(EEXIST) }

    /// The error of `write` for a file that cannot fit.
    package static func diskFull(_ subject: String) -> SystemError {
        SystemError(errno: ENOSPC, operation: "write", subject: subject)
    }

    /// The error for an operation that the runner refuses, though the kernel permits it; `reason`
    /// says why.
    package static func notPermitted(
        _ operation: String,
        _ subject: String,
        reason: String
    ) -> SystemError {
        var error = SystemError(errno: EPERM, operation: operation, subject: subject)
        error.reason = reason
        return error
    }

    /// The error for reading anything but a named pipe as one.
    package static func notPipe(_ subject: String) -> SystemError {
        var error = SystemError(errno: EINVAL, operation: "read", subject: subject)
        error.reason = "it is not a named pipe"
        return error
    }
}
