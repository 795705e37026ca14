package import TransferModel

/// A check whether an existing file is the file that a download would fetch.
///
/// A class, because few attempts have one.
package final class FileExamination: Sendable, Equatable {
    /// Absolute.
    package let path: String
    /// The expected checksum; nil when the signature decides alone.
    package let checksum: Checksum?
    /// The signature that must vouch for the file; nil for none.
    package let signature: DetachedSignature?
    /// Whether to follow a symbolic link at the path; otherwise a download replaces the link.
    package let followsLink: Bool
    /// The required permission bits; nil for any.
    package let mode: UInt16?
    /// The most bytes of the file; nil means no limit.
    package let maximumSize: Int64?
    /// The folder that must exist beside the file, absolute; nil for none.
    ///
    /// An archive is published after the folder of its content: if both exist, the folder has the
    /// archive's content.
    package let archiveFolder: String?

    /// Makes the check for a task's file; nil when nothing vouches for it.
    ///
    /// A signature does not replace a checksum that the list lacks. With `ifExists: skip` only the
    /// content counts, even behind a link.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - url: The requested URL.
    ///   - list: The list with the checksums; nil while it is unknown.
    package init?(of task: TaskSpec, requesting url: TransferURL, by list: ChecksumList?) {
        guard let destination = task.destination else { return nil }
        switch destination.checksum {
        case .digest(let digest): checksum = digest
        case .listed(let sums):
            checksum = list?.checksum(in: sums, of: url, destination)
            if checksum == nil { return nil }
        case nil:
            if destination.signature == nil { return nil }
            checksum = nil
        }
        // The signature may not be there yet when only the server's answer matters.
        if destination.isAsked, destination.signature != nil { return nil }
        let isKept = destination.ifExists == .skip
        path = destination.path
        signature = destination.signature
        followsLink = isKept
        mode = isKept ? nil : destination.mode
        maximumSize = isKept ? nil : task.expectation.maximumSize
        archiveFolder = destination.archiveFolder?.path
    }

    /// Whether both check the same file by the same rules.
    package static func == (left: FileExamination, right: FileExamination) -> Bool {
        left.path == right.path && left.checksum == right.checksum
            && left.signature == right.signature && left.followsLink == right.followsLink
            && left.mode == right.mode
            && left.maximumSize == right.maximumSize
            && left.archiveFolder == right.archiveFolder
    }
}

extension ChecksumList {
    /// The checksum that the list has for a file whose URL was not requested yet.
    ///
    /// - Parameters:
    ///   - list: The job's reference to the list.
    ///   - url: The file's URL.
    ///   - destination: The file's destination.
    /// - Returns: nil when the list has no such checksum or several.
    package func checksum(
        in list: SumsFile,
        of url: TransferURL,
        _ destination: TaskSpec.Destination
    ) -> Checksum? {
        let paths = list.name.map { [$0] } ?? [ServerFileName.path(of: url), destination.path]
        guard case .found(let checksum) = find(list.algorithm, paths) else { return nil }
        return checksum
    }
}
