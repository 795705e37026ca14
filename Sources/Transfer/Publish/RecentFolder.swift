internal import SystemKit
internal import TransferModel

/// The folder of recently published files, kept open so that a series of small files opens it only
/// once.
struct RecentFolder {
    /// How long the path is trusted to lead to the folder; only users move folders.
    private static let trust = Duration.milliseconds(100)

    private var folder: Folder?
    /// Whether the folder is in memory.
    private var isInMemory = false
    /// The number of consecutive folders that were not in memory.
    private var misses = 0
    /// After this many misses the check stops, because the disk may be slow.
    private static let mostMisses = 16
    private var lastLook = MonotonicTime(nanoseconds: 0)

    /// The folder of a file; created with its missing parents.
    ///
    /// `now` may lag behind the clock.
    mutating func open(
        of file: TaskSpec.Destination,
        at now: MonotonicTime
    ) throws(SystemError) -> Folder {
        if let folder, file.isIn(folder.path) {
            if now - lastLook < Self.trust { return folder }
            lastLook = now
            if folder.isAtItsPath { return folder }
        }
        return try take(Folder(path: file.folder, create: true), at: now)
    }

    private mutating func take(_ opened: Folder, at now: MonotonicTime) -> Folder {
        folder = opened
        isInMemory = opened.isInMemory
        lastLook = now
        return opened
    }

    /// Whether the folder of a file exists and is in memory.
    mutating func isInMemory(of file: TaskSpec.Destination, at now: MonotonicTime) -> Bool {
        if let folder, file.isIn(folder.path) { return isInMemory }
        guard misses < Self.mostMisses,
            let found = try? Folder(path: file.folder, create: false)
        else { return false }
        _ = take(found, at: now)
        misses = isInMemory ? 0 : misses + 1
        return isInMemory
    }

    /// Closes the folder if its path leads elsewhere; returns whether it did.
    mutating func forgetIfMoved() -> Bool {
        guard let folder, !folder.isAtItsPath else { return false }
        self.folder = nil
        return true
    }
}
