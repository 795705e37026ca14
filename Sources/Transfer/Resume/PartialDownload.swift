internal import SystemKit
internal import TransferModel

/// What there is of a body whose transfer has been cut, and what it takes to go on with it.
///
/// Goes from one attempt to the next. One attempt writes to its file at a time.
package final class PartialDownload: Sendable {
    let file: OutputFile
    let folder: Folder
    /// The absolute path that the whole file is to have.
    let path: String
    /// The URL that was asked for it, before redirects.
    let url: String
    /// nil when the server of that URL has none: then only a checksum lets a mirror go on.
    let validator: ResumeValidator?
    /// The length of the whole, at least 1.
    let total: Int64

    init(
        file: OutputFile,
        folder: Folder,
        path: String,
        url: String,
        validator: ResumeValidator?,
        total: Int64
    ) {
        self.file = file
        self.folder = folder
        self.path = path
        self.url = url
        self.validator = validator
        self.total = total
    }

    /// How many bytes are there.
    package var size: Int64 { file.size }

    /// What a URL is asked for to go on; nil when it has to be asked for everything.
    ///
    /// Another URL than the one before may go on only when the file has a checksum, which shows whether both have the
    /// same.
    func offer(to url: String, hasChecksum: Bool) -> ResumeOffer? {
        guard size > 0, size <= total else { return nil }
        let isSameURL = url.hasSameBytes(as: self.url)
        guard isSameURL ? validator != nil : hasChecksum else { return nil }
        // Of a part that is whole the last byte is asked for again: so the validator is looked at, and there is a range
        // that every server can satisfy.
        return ResumeOffer(
            offset: min(size, total - 1),
            total: total,
            validator: isSameURL ? validator : nil
        )
    }

    /// Gives up what is there.
    func discard() {}
}
