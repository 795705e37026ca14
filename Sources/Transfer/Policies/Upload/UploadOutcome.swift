/// What an attempt at a resumable upload has come to, besides its result.
package struct UploadOutcome: Sendable, Equatable {
    /// What another attempt can go on with.
    package var partial: PartialUpload?
    /// The position from which on the attempt has sent the body; nil when it was from its first
    /// byte, or nothing was sent.
    package var resumedFrom: Int64?
    /// The position up to which the body was sent at the attempt's end; nil when nothing was.
    package var sentEnd: Int64?
}
