package import SystemKit

/// Why the upload that an earlier run may have left cannot be determined.
package enum UploadObstacle: Sendable, Hashable {
    /// Another process holds the records.
    case elsewhere
    /// The record at a path is damaged, or other users may have written it.
    case damaged(String)
    /// The folder of the records cannot be read.
    case unreadable(SystemError)
}
