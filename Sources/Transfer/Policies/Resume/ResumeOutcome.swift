/// The result of resuming in an attempt; only for attempts that resumed a part or could leave one.
///
/// A class, because nearly no result has one.
package final class ResumeOutcome: Sendable {
    /// The part that another attempt can resume.
    package let partial: PartialDownload?
    /// The offset at which the attempt resumed the body; nil for a whole body.
    package let resumedFrom: Int64?
    /// Only for resumable uploads, for which the other two are nil.
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

    /// The same outcome without its part, which is useless now.
    var withoutPartial: ResumeOutcome? {
        upload == nil ? ResumeOutcome(partial: nil, resumedFrom: resumedFrom) : self
    }
}
