internal import SystemKit

/// Why something cannot be kept in a journal.
package struct JournalFault: Error, Sendable, Hashable {
    /// In words.
    package let message: String
    /// What the system has said.
    package let errno: Int32

    init(_ error: SystemError) {
        message = error.message
        errno = error.errno
    }
}
