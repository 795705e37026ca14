internal import SystemKit

/// Finds destinations that cannot all become files, or that would replace a file that the job
/// reads.
///
/// Paths are absolute and without `..`. The index keeps only a hash of each path, which leads to
/// the task; `paths` then gives the paths of that task again.
struct DestinationIndex {
    /// A file or folder in the way of a destination.
    enum Conflict {
        /// The same file, described in words.
        case file(String)
        /// The file that an upload sends.
        case source(of: Int)
        /// The same destination.
        case destination(of: Int)
        /// A file on the way to the destination that the run writes too, described in words.
        case belowFile(String)
        case belowDestination(of: Int)
        /// The destination is a folder on the way to this file.
        case aboveFile(String)
        case aboveDestination(of: Int)
    }

    /// Files that belong to no task, described in words: so few that a search beats a hash table.
    private(set) var files: [(path: String, words: String)] = []
    /// The files of the reports.
    private var reports: [(path: String, words: String)] = []
    private var destinations: TextIndex
    /// A task for the hash of each folder on the way to a destination.
    private var folders: [UInt64: Int] = [:]
    /// The most folders that the index keeps.
    ///
    /// With more, a destination below a file is found only when its task cannot write it.
    private static let mostFolders = 2_000_000
    /// The innermost folder of the last destination, most often also the folder of the next one.
    private var lastFolder = ""
    private var hasher = PathHasher()
    /// A task for the hash of each file that is sent.
    private var sources: [UInt64: Int] = [:]

    init(capacity: Int) { destinations = TextIndex(capacity: capacity) }

    /// Notes a file that the job reads.
    mutating func addInput(_ path: String, _ words: String) {
        if self.words(of: path) == nil { files.append((path, words)) }
    }

    /// Notes the file of a report; returns the words for a file that the job reads there.
    ///
    /// `isSameFile` tests whether another path leads to the report's file by a link.
    mutating func addReport(
        _ path: String,
        _ words: String,
        isSameFile: (String) -> Bool
    ) -> String? {
        let input = files.first { $0.path.hasSameBytes(as: path) || isSameFile($0.path) }?.words
        files.insert((path, words), at: 0)
        reports.append((path, words))
        return input
    }

    private func words(of path: String) -> String? {
        let count = path.utf8.count
        for index in files.indices
        where files[index].path.utf8.count == count && files[index].path.hasSameBytes(as: path) {
            return files[index].words
        }
        return nil
    }

    /// Notes the file that an upload sends; returns the conflict with a file that would replace it.
    mutating func addSource(
        _ path: String,
        of task: Int,
        paths: (_ task: Int) -> TaskPaths
    ) -> Conflict? {
        let hash = hasher.hash(of: path.utf8.span)
        if sources[hash] == nil { sources[hash] = task }
        for report in reports where report.path.hasSameBytes(as: path) {
            return .file(report.words)
        }
        return find(path, hash, paths).map { .destination(of: $0) }
    }

    /// Notes the destination of a task, unless another path is in its way.
    ///
    /// A path that ends in a slash is a folder, which several tasks may share, and not a file.
    mutating func addDestination(
        _ path: String,
        of task: Int,
        paths: (_ task: Int) -> TaskPaths
    ) -> Conflict? {
        let hash = hasher.hash(of: path.utf8.span)
        if path.utf8.last == UInt8(ascii: "/") { return addFolders(of: path, task, paths) }
        if let words = words(of: path) { return .file(words) }
        if let source = sources[hash], paths(source).reads(path) {
            return .source(of: source)
        }
        if let first = find(path, hash, paths) { return .destination(of: first) }
        for report in reports where Self.isFolder(path, of: report.path) {
            return .aboveFile(report.words)
        }
        if let inner = folders[hash] {
            let inside = paths(inner)
            if inside.destination.map({ Self.isFolder(path, of: $0) }) == true
                || inside.archiveFolder.map({ Self.isFolder(path, of: $0) }) == true
            {
                return .aboveDestination(of: inner)
            }
        }
        if let conflict = addFolders(of: path, task, paths) { return conflict }
        destinations.insert(task, hash: hash)
        return nil
    }

    /// Notes the folder of an archive; a file that the job reads may not be in it.
    mutating func addArchiveFolder(
        _ path: String,
        of task: Int,
        paths: (_ task: Int) -> TaskPaths
    ) -> Conflict? {
        for file in files where Self.isFolder(path, of: file.path) {
            return .aboveFile(file.words)
        }
        return addDestination(path, of: task, paths: paths)
    }

    /// Notes the folders on the way to the destination that was hashed last, from the innermost out
    /// to the first that is known.
    private mutating func addFolders(
        of path: String,
        _ task: Int,
        _ paths: (Int) -> TaskPaths
    ) -> Conflict? {
        guard let innermost = hasher.folders.last, folders.count < Self.mostFolders else {
            return nil
        }
        let bytes = path.utf8.span
        if bytes.extracting(first: innermost.end).equals(lastFolder.utf8.span) { return nil }
        lastFolder = String(path.slice(0..<innermost.end))
        for folder in hasher.folders.reversed() {
            guard folders[folder.hash] == nil else { return nil }
            folders[folder.hash] = task
            for report in reports
            where report.path.utf8.span.equals(bytes.extracting(first: folder.end)) {
                return .belowFile(report.words)
            }
            if let outer = find(path, first: folder.end, folder.hash, paths) {
                return .belowDestination(of: outer)
            }
        }
        return nil
    }

    private func find(_ path: String, _ hash: UInt64, _ paths: (Int) -> TaskPaths) -> Int? {
        find(path, first: path.utf8.count, hash, paths)
    }

    /// The task whose destination equals the first bytes of a path.
    private func find(
        _ path: String,
        first count: Int,
        _ hash: UInt64,
        _ paths: (Int) -> TaskPaths
    ) -> Int? {
        destinations.find(hash) {
            paths($0).makes(path.utf8.span.extracting(first: count))
        }
    }

    private static func isFolder(_ folder: String, of path: String) -> Bool {
        let (folder, path) = (folder.utf8.span, path.utf8.span)
        return path.count > folder.count && path[folder.count] == UInt8(ascii: "/")
            && path.extracting(first: folder.count).equals(folder)
    }
}

/// Hashes of paths and of every folder on the way to them, in one walk over each.
struct PathHasher {
    /// A folder on the way.
    struct Folder {
        /// The length of the folder's path in bytes, without a final slash.
        var end: Int
        /// The value of `hash(of:)` for the folder.
        var hash: UInt64
    }

    /// The folders on the way to the last path, from the outermost to the innermost; the root is
    /// none.
    private(set) var folders: [Folder] = []
    /// The folder of the last path, and a hasher that has taken its components.
    private var folder: [UInt8] = []
    private var state = Hasher()

    /// The hash of an absolute path, keyed by the process.
    ///
    /// The folder is hashed again only if it differs from the folder of the last path.
    mutating func hash(of path: Span<UInt8>) -> UInt64 {
        var end = path.count
        while end > 0, path[end - 1] != UInt8(ascii: "/") { end -= 1 }
        let slash = max(0, end - 1)
        let folder = path.extracting(first: slash)
        if !folder.equals(self.folder.span) { enter(folder) }
        var hasher = state
        path.extracting(slash..<path.count).combine(into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private mutating func enter(_ folder: Span<UInt8>) {
        self.folder.removeAll(keepingCapacity: true)
        self.folder.append(folder)
        folders.removeAll(keepingCapacity: true)
        state = Hasher()
        var start = 0
        for index in folder.indices.dropFirst() where folder[index] == UInt8(ascii: "/") {
            add(folder, start..<index)
            start = index
        }
        if !folder.isEmpty { add(folder, start..<folder.count) }
    }

    private mutating func add(_ folder: Span<UInt8>, _ component: Range<Int>) {
        folder.extracting(component).combine(into: &state)
        let hash = UInt64(bitPattern: Int64(state.finalize()))
        folders.append(Folder(end: component.upperBound, hash: hash))
    }
}
