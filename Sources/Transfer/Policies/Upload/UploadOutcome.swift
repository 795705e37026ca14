/// The outcome of an attempt at a resumable upload, besides its result.
package struct UploadOutcome: Sendable, Equatable {
    /// The state that another attempt can resume.
    package var partial: PartialUpload?
    /// The offset at which the attempt resumed the body; nil when it sent the first byte or none.
    package var resumedFrom: Int64?
    /// The offset up to which the body was sent at the attempt's end; nil when nothing was sent.
    package var sentEnd: Int64?
}
