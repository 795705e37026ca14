internal import SystemKit

/// Hashes of paths and of every folder on the way to them, in one walk over each.
struct PathHasher {
    /// A folder on the way.
    struct Folder {
        /// How many bytes of the path it takes, no slash at its end.
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
    /// The folder's hash is made again only when the folder is another one than last time.
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
