internal import SystemKit
internal import TransferModel

/// The folder that many small files in a row go to, held open so that only the first of them has to
/// find it.
struct RecentFolder {
    /// For so long nobody looks whether its path still leads to it; what moves it away is a person.
    private static let trust = Duration.milliseconds(100)

    private var folder: Folder?
    /// Whether that one is in memory.
    private var isInMemory = false
    /// How many folders in a row were not when they were asked about.
    private var misses = 0
    /// After so many nobody asks any more: it may be a disk that takes its time.
    private static let mostMisses = 16
    private var lastLook = MonotonicTime(nanoseconds: 0)

    /// The folder of a file, made with its missing parents when it is not there.
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

    /// Whether the folder of a file is there, and in memory.
    mutating func isInMemory(of file: TaskSpec.Destination, at now: MonotonicTime) -> Bool {
        if let folder, file.isIn(folder.path) { return isInMemory }
        guard misses < Self.mostMisses,
            let found = try? Folder(path: file.folder, create: false)
        else { return false }
        _ = take(found, at: now)
        misses = isInMemory ? 0 : misses + 1
        return isInMemory
    }

    /// Lets go of the folder if its path no longer leads to it; returns whether it did so.
    mutating func forgetIfMoved() -> Bool {
        guard let folder, !folder.isAtItsPath else { return false }
        self.folder = nil
        return true
    }
}
