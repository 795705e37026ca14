internal import SystemKit
internal import TransferModel

/// The folder that many small files in a row go to, held open so that only the first of them has to find it.
struct RecentFolder {
    /// For so long nobody looks whether its path still leads to it; what moves it away is a person.
    private static let trust = Duration.milliseconds(100)

    private var folder: Folder?
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
        let opened = try Folder(path: file.folder, create: true)
        folder = opened
        lastLook = now
        return opened
    }

    /// Lets go of the folder if its path no longer leads to it; returns whether it did so.
    mutating func forgetIfMoved() -> Bool {
        guard let folder, !folder.isAtItsPath else { return false }
        self.folder = nil
        return true
    }
}
