package import SystemKit

/// The outcome of an attempt at a resumable upload, besides its result.
package struct UploadOutcome: Sendable, Equatable {
    /// The state that another attempt can resume.
    package var partial: PartialUpload?
    /// The offset at which the attempt resumed the body; nil when it sent the first byte or none.
    package var resumedFrom: Int64?
    /// The offset up to which the body was sent at the attempt's end; nil when nothing was sent.
    package var sentEnd: Int64?
}

/// Why the upload that an earlier run may have left cannot be determined.
package enum UploadObstacle: Sendable, Hashable {
    /// Another process holds the records.
    case elsewhere
    /// The record at a path is damaged, or other users may have written it.
    case damaged(String)
    /// The folder of the records cannot be read.
    case unreadable(SystemError)
}
