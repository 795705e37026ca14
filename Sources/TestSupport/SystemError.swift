import Glibc

/// A call of the operating system that failed.
package struct SystemError: Error, CustomStringConvertible {
    /// The call and what it was about, such as `open /tmp/a`.
    package var call: String
    package var errno: Int32

    package init(_ call: String, errno: Int32 = Glibc.errno) {
        self.call = call
        self.errno = errno
    }

    package var description: String {
        let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
        return "\(call): \(reason)"
    }
}

/// Something did not happen within the time that guards a test against hanging for ever.
package struct GuardTimeout: Error, CustomStringConvertible {
    /// What was waited for.
    package var description: String

    package init(_ description: String) {
        self.description = "waited in vain for \(description)"
    }
}
