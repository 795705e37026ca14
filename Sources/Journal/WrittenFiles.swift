package import SystemKit

/// Remembers the files that the runs of a job wrote under names that peers chose, and the folders
/// of their archives, in the job's file.
///
/// Such a name replaces a file of the same task and no other. A note is a hash of the task's id and
/// the file's path, and one of its inode, size and time of last change: it fits the file as it was
/// published. The
/// device is not in it, because many file systems get another number with each mount. A lost note
/// only means that the file is not replaced. So notes are appended after the file has its name and
/// are not synced, and a damaged file is begun anew. Several processes may use the file: they
/// append and replace it under a lock, whose name is the file's name with `.lock` appended.
package final class WrittenFiles: Sendable {
    /// The most remembered files, at sixteen bytes each; the oldest are forgotten first.
    package static let mostFiles = 1 << 20

    /// A file or folder as it was published.
    struct Note: Equatable {
        /// The hash of the task's id and the path.
        var place: UInt64
        /// The hash of the file's properties.
        var stamp: UInt64
    }

    /// The kind of an entry with notes.
    private static let kind: UInt8 = 1
    /// The bytes of a note.
    private static let noteSize = 16
    /// A longer file is shortened before it grows, bytes.
    private static let longest: Int64 = 64 << 20
    /// Superseded notes that are worth no rewriting.
    private static let fewNotes = 1_000
    /// How long to wait for another process that has the lock, nanoseconds.
    ///
    /// After a wait without success, there is no further wait until the lock was free again.
    private static let patience: Int64 = 1_000_000_000

    private let folderPath: String
    private let name: String
    private let mostFiles: Int
    /// The last stamp of each place, of earlier runs and of this one.
    private let stamps = Lock([UInt64: UInt64]())
    /// The patience of the next writer; one thread of this process writes at a time.
    private let writing = Lock(WrittenFiles.patience)

    /// Reads the notes of earlier runs; makes no file.
    ///
    /// - Parameters:
    ///   - folderPath: The folder; created with its parents for the first note.
    ///   - name: The file's name, without a slash.
    ///   - mostFiles: The most remembered files.
    ///   - isReadOnly: Whether a file that is damaged or too long is left as it is.
    /// - Throws: `JournalFault` when the file cannot be read, may have been written by others, or
    ///   comes from a later version.
    package init(
        in folderPath: String,
        name: String,
        mostFiles: Int = WrittenFiles.mostFiles,
        isReadOnly: Bool = false
    ) throws(JournalFault) {
        self.folderPath = folderPath
        self.name = name
        self.mostFiles = mostFiles
        do throws(SystemError) {
            guard let file = try open() else { return }
            let (notes, isWhole) = try read(file)
            let kept = Self.latest(notes, mostFiles)
            stamps.withLock { stamps in
                stamps.reserveCapacity(kept.count)
                for note in kept { stamps[note.place] = note.stamp }
            }
            guard !isReadOnly, !isWhole || notes.count > 2 * kept.count + Self.fewNotes
            else { return }
            // Notes after an incomplete one are lost until a later run succeeds.
            try? underLock(Self.patience) { folder throws(SystemError) in
                try shorten(in: folder)
            }
        } catch {
            throw JournalFault(error)
        }
    }

    private var path: String { folderPath + "/" + name }

    /// Whether a task wrote the file at a path, in this run or an earlier one, and the file has not
    /// changed since.
    ///
    /// Does not access the disk. A file of another task does not count.
    package func has(_ path: String, _ file: InputFile.Identity, of task: String) -> Bool {
        let note = Note(path, file, of: task)
        return stamps.withLock { $0[note.place] == note.stamp }
    }

    /// Whether a task extracted the folder at a path, in this run or an earlier one, and nothing in
    /// it has changed since.
    ///
    /// Waits for no disk.
    package func has(_ path: String, _ content: FolderContent, of task: String) -> Bool {
        let note = Note(path, stamp: content.stamp, of: task)
        return stamps.withLock { $0[note.place] == note.stamp }
    }

    /// Notes a folder that a task of this run has extracted.
    ///
    /// - Throws: `JournalFault` when later runs do not learn of it.
    package func note(
        _ path: String,
        _ content: FolderContent,
        of task: String
    ) throws(JournalFault) {
        try keep(Note(path, stamp: content.stamp, of: task))
    }

    /// Notes a file that a task of this run has written.
    ///
    /// - Throws: `JournalFault` when later runs do not learn of it.
    package func note(
        _ path: String,
        _ file: InputFile.Identity,
        of task: String
    ) throws(JournalFault) {
        try keep(Note(path, file, of: task))
    }

    private func keep(_ note: Note) throws(JournalFault) {
        stamps.withLock { $0[note.place] = note.stamp }
        do throws(SystemError) {
            try writing.withLock { patience throws(SystemError) in
                let wait = patience
                patience = 0
                try underLock(wait) { folder throws(SystemError) in try append(note, in: folder) }
                patience = Self.patience
            }
        } catch {
            throw JournalFault(error)
        }
    }

    // MARK: Writing

    /// Does work while no other process changes the file; waits so many nanoseconds for that.
    private func underLock(
        _ patience: Int64,
        _ work: (Folder) throws(SystemError) -> Void
    ) throws(SystemError) {
        let folder = try Folder(path: folderPath, create: true, mode: 0o700)
        let deadline = Clock.monotonicNanoseconds() + patience
        let lock = try FileLock(in: folder, name: name + ".lock", until: deadline)
        defer { withExtendedLifetime(lock) {} }
        try work(folder)
    }

    private func append(_ note: Note, in folder: Folder) throws(SystemError) {
        var size = InputFile.Identity(at: path)?.size ?? 0
        if size == 0 || size > Self.longest {
            try shorten(in: folder)
            size = InputFile.Identity(at: path)?.size ?? 0
        }
        let file = try AppendFile(in: folder, name: name)
        try file.append(JournalText.bytes(of: Self.entry(of: [note])), at: size, isDurable: false)
    }

    /// Replaces the file by the last note of each place; makes a missing file.
    private func shorten(in folder: Folder) throws(SystemError) {
        let notes = try open().map { file throws(SystemError) in try read(file).notes } ?? []
        let kept = Self.latest(notes, mostFiles)
        let text = JournalText.bytes(of: kept.isEmpty ? [] : [Self.entry(of: kept)])
        try OutputFile.replacePrivate(name, in: folder, with: text.span)
    }

    private static func entry(of notes: [Note]) -> JournalText.Entry {
        var content: [UInt8] = []
        content.reserveCapacity(notes.count * noteSize)
        for note in notes {
            content.add(note.place)
            content.add(note.stamp)
        }
        return JournalText.Entry(kind: kind, content: content)
    }

    /// The last note of each place, at most `limit`, in their order.
    static func latest(_ notes: [Note], _ limit: Int) -> [Note] {
        var places: Set<UInt64> = []
        var kept: [Note] = []
        for note in notes.reversed() where kept.count < limit {
            if places.insert(note.place).inserted { kept.append(note) }
        }
        return kept.reversed()
    }

    // MARK: Reading

    /// The journal; nil without one.
    private func open() throws(SystemError) -> InputFile? {
        do throws(SystemError) {
            let file = try InputFile(path: path, followsLink: false)
            guard file.exposure == nil else {
                throw .notPermitted("read", path, reason: "other users may write to it")
            }
            return file
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// The notes of a journal, and whether all of it could be read; none of a damaged journal.
    private func read(_ file: InputFile) throws(SystemError) -> (notes: [Note], isWhole: Bool) {
        let bytes = try file.readPrefix(limit: Int(2 * Self.longest))
        var notes: [Note] = []
        do throws(JournalTextFault) {
            let end = try JournalText.read(bytes) { notes += Self.notes(of: $0) }
            return (notes, end == bytes.count)
        } catch {
            guard error != .newer else {
                let reason = "a later version of runner wrote the journal"
                throw .notPermitted("read", path, reason: reason)
            }
            return ([], false)
        }
    }

    private static func notes(of entry: JournalText.Entry) -> [Note] {
        guard entry.kind == kind else { return [] }
        var notes: [Note] = []
        var rest = entry.content[...]
        while let place = UInt64(takenFrom: &rest), let stamp = UInt64(takenFrom: &rest) {
            notes.append(Note(place: place, stamp: stamp))
        }
        return notes
    }

}

extension WrittenFiles.Note {
    /// The note of a task's file; all paths to its folder count as one.
    init(_ path: String, _ file: InputFile.Identity, of task: String) {
        var properties: [UInt8] = []
        properties.add(file.inode)
        properties.add(file.size)
        properties.add(file.modificationNanoseconds)
        self.init(path, stamp: ContentHash(of: properties.span).value, of: task)
    }

    /// The note of a task's file or folder with a stamp of its properties.
    init(_ path: String, stamp: UInt64, of task: String) {
        let cut = path.cut(atLast: "/")
        let folder = cut.map { Folder.canonicalPath(String($0.before)) } ?? ""
        let name = cut.map { String($0.behind) } ?? path
        place = ContentHash(of: Array("\(task)\0\(folder)/\(name)".utf8).span).value
        self.stamp = stamp
    }
}
