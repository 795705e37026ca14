import SystemKit
import TransferModel

/// The mark of a suspended background session: an empty file beside its journal.
///
/// A file of its own, because a run holds the journal while it runs.
extension BackgroundFolder {
    /// The name of a session's mark.
    private static func markName(of identifier: String) -> String { identifier + ".suspended" }

    /// Whether a session is suspended; false without the folder.
    func isSuspended(_ identifier: String) -> Bool {
        guard let folder = try? Folder(path: path, create: false) else { return false }
        return folder.contains(Self.markName(of: identifier))
    }

    /// Suspends a session, which a loss of power does not undo.
    ///
    /// - Returns: False when it was suspended before.
    /// - Throws: `Exit` when the mark cannot be written.
    func suspend(_ identifier: String) throws(Exit) -> Bool {
        guard !isSuspended(identifier) else { return false }
        try Exit.environment { () throws(SystemError) in
            let folder = try Folder(path: path, create: true, mode: 0o700, isDurable: true)
            let name = Self.markName(of: identifier)
            try OutputFile.replacePrivate(name, in: folder, with: [UInt8]().span)
            try folder.sync()
        }
        return true
    }

    /// Ends the suspension of a session, which a loss of power does not undo.
    ///
    /// - Returns: False when it was not suspended.
    /// - Throws: `Exit` when the mark cannot be removed.
    func resume(_ identifier: String) throws(Exit) -> Bool {
        guard isSuspended(identifier) else { return false }
        try Exit.environment { () throws(SystemError) in
            let folder = try Folder(path: path, create: false)
            try folder.removeForCertain(Self.markName(of: identifier))
            try folder.sync()
        }
        return true
    }
}
