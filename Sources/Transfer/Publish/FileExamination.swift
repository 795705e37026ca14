package import TransferModel

/// A question about a file that is there already: whether it is the one that a download would
/// bring.
///
/// A class, because few attempts have one.
package final class FileExamination: Sendable, Equatable {
    /// Absolute.
    package let path: String
    /// What the file must hash to.
    package let checksum: Checksum
    /// Whether a symbolic link under the path stands for the file that it leads to; otherwise a
    /// download replaces the link.
    package let followsLink: Bool
    /// The permission bits that the file must have; nil when any will do.
    package let mode: UInt16?
    /// The most bytes that the file may have; nil means any number.
    package let maximumSize: Int64?

    /// The question for a destination.
    ///
    /// - Parameters:
    ///   - destination: Names a file. With `ifExists: skip` only the content counts, behind a link
    ///     too.
    ///   - checksum: What the destination's checksum has come to.
    ///   - maximumSize: What is expected of the body.
    package init(
        _ destination: TaskSpec.Destination,
        _ checksum: Checksum,
        maximumSize: Int64? = nil
    ) {
        let isKept = destination.ifExists == .skip
        path = destination.path
        self.checksum = checksum
        followsLink = isKept
        mode = isKept ? nil : destination.mode
        self.maximumSize = isKept ? nil : maximumSize
    }

    package static func == (left: FileExamination, right: FileExamination) -> Bool {
        left.path == right.path && left.checksum == right.checksum
            && left.followsLink == right.followsLink && left.mode == right.mode
            && left.maximumSize == right.maximumSize
    }
}

extension ChecksumList {
    /// The checksum that the list has for a file whose URL has not answered yet.
    ///
    /// - Parameters:
    ///   - list: How the job names the list.
    ///   - url: That of the file.
    ///   - destination: Where the file is to go.
    /// - Returns: nil when the list has no such checksum, or several.
    package func checksum(
        in list: SumsFile,
        of url: HTTPURL,
        _ destination: TaskSpec.Destination
    ) -> Checksum? {
        let paths = list.name.map { [$0] } ?? [ServerFileName.path(of: url), destination.path]
        guard case .found(let checksum) = find(list.algorithm, paths) else { return nil }
        return checksum
    }
}
