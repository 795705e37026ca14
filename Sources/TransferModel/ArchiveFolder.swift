package import SystemKit

/// The folder into which a downloaded archive is extracted: `extract` of a download.
///
/// A class, because few tasks have one.
package final class ArchiveFolder: Sendable, Equatable {
    /// Absolute, without a final slash.
    package let path: String
    /// The path as in the job file, for messages.
    package let displayPath: String
    /// Whether an older folder is replaced.
    package let replaces: Bool
    /// How many parts to remove from the front of each name.
    package let stripComponents: Int
    /// How much the archive may become.
    package let limits: ArchiveLimits
    /// Whether a captured value is a part of the path.
    package let isNamedByPeer: Bool

    /// Creates a folder; both paths name the same one.
    package init(
        path: String,
        displayPath: String,
        replaces: Bool,
        stripComponents: Int,
        limits: ArchiveLimits,
        isNamedByPeer: Bool = false
    ) {
        self.path = path
        self.displayPath = displayPath
        self.replaces = replaces
        self.stripComponents = stripComponents
        self.limits = limits
        self.isNamedByPeer = isNamedByPeer
    }

    /// Whether both extract in the same way to the same folder.
    package static func == (left: ArchiveFolder, right: ArchiveFolder) -> Bool {
        left.path.hasSameBytes(as: right.path) && left.displayPath == right.displayPath
            && left.replaces == right.replaces && left.stripComponents == right.stripComponents
            && left.limits == right.limits && left.isNamedByPeer == right.isNamedByPeer
    }
}
