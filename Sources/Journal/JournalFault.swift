internal import SystemKit

/// Why a journal cannot be read or written.
package struct JournalFault: Error, Sendable, Hashable {
    /// The reason in words.
    package let message: String
    /// The system's error number.
    package let errno: Int32

    init(_ error: SystemError) {
        message = error.message
        errno = error.errno
    }
}
