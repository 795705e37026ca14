/// What resuming has to do with how an attempt ended; only of attempts that have gone on with a
/// part or could leave one.
///
/// A class, because nearly no result has one.
package final class ResumeOutcome: Sendable {
    /// What another attempt can go on with.
    package let partial: PartialDownload?
    /// The position from which on the attempt has received the body; nil when it was from the first
    /// byte.
    package let resumedFrom: Int64?
    /// nil but for resumable uploads, which have nothing of the other two.
    package let upload: UploadOutcome?

    /// Creates the outcome of a resumable upload.
    package init(upload: UploadOutcome) {
        partial = nil
        resumedFrom = nil
        self.upload = upload
    }

    init?(partial: PartialDownload?, resumedFrom: Int64?) {
        guard partial != nil || resumedFrom != nil else { return nil }
        self.partial = partial
        self.resumedFrom = resumedFrom
        upload = nil
    }

    /// The same of an attempt whose part is of no use any more.
    var withoutPartial: ResumeOutcome? {
        upload == nil ? ResumeOutcome(partial: nil, resumedFrom: resumedFrom) : self
    }
}
