internal import SystemKit
package import TransferModel

/// The part of a download that an earlier run has left, seen without touching it.
///
/// A run takes it up only if the file at the server is unchanged.
package struct LeftPart: Sendable, Hashable {
    /// The bytes that the part's record vouches for, at least 1.
    package let count: Int64
    /// The length of the whole file.
    package let total: Int64

    /// Looks beside a destination; nil when nothing is left that a run would take up.
    ///
    /// - Parameters:
    ///   - destination: A file whose name is known.
    ///   - url: The URL that the task requests.
    package init?(of destination: TaskSpec.Destination, requesting url: String) {
        guard destination.resume == .acrossRuns, !destination.isFolder,
            let names = PartialNames(of: destination.name),
            let folder = try? Folder(path: destination.folder, create: false),
            let part = try? InputFile(path: folder.path(of: names.part), followsLink: false),
            part.exposure == nil,
            let record = PartialDownload.record(names, in: folder),
            record.url.hasSameBytes(as: url), record.inode == part.identity.inode,
            record.vouchedLength > 0, part.identity.size >= record.vouchedLength,
            part.identity.size <= record.total
        else { return nil }
        count = record.vouchedLength
        total = record.total
    }
}
