package import SystemKit

/// Why nobody can tell what an earlier run has left of an upload.
package enum UploadObstacle: Sendable, Hashable {
    /// Another process has the records.
    case elsewhere
    /// The record at a path is not as it was written, or others may have written it.
    case damaged(String)
    /// The folder of the records cannot be read.
    case unreadable(SystemError)
}
