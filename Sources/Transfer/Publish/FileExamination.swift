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

    /// Makes the check for a destination.
    ///
    /// - Parameters:
    ///   - destination: The file. With `ifExists: skip` only the content counts, even behind a
    ///     link.
    ///   - checksum: The resolved checksum of the destination; nil only when it has a signature.
    ///   - maximumSize: The limit in the task's expectation.
    package init(
        _ destination: TaskSpec.Destination,
        _ checksum: Checksum?,
        maximumSize: Int64? = nil
    ) {
        let isKept = destination.ifExists == .skip
        path = destination.path
        self.checksum = checksum
        signature = destination.signature
        followsLink = isKept
        mode = isKept ? nil : destination.mode
        self.maximumSize = isKept ? nil : maximumSize
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
