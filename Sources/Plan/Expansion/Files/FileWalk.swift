internal import SystemKit

/// Finds the files that a pattern means by looking through its folder.
struct FileWalk {
    /// Names that a pattern means but that are no files to send.
    enum Skipped: CaseIterable {
        case linkToFolder
        case brokenLink
        case special

        /// A number of such names in words.
        func words(_ count: Int) -> String {
            let isOne = count == 1
            return switch self {
            case .linkToFolder: isOne ? "1 link to a folder" : "\(count) links to folders"
            case .brokenLink: isOne ? "1 link to nothing" : "\(count) links to nothing"
            case .special: isOne ? "1 pipe, socket or device" : "\(count) pipes, sockets or devices"
            }
        }
    }

    /// Why a search ends before its end.
    enum Fault: Error {
        case missingFolder(String)
        case unreadable(String, reason: String)
        /// More files or names than `mostFiles` or `mostNames`.
        case tooMany
    }

    /// Files of one pattern.
    static let mostFiles = 1_000_000
    /// Names that are looked at for all patterns of a job.
    static let mostNames = 5_000_000

    private(set) var files: [FileRows.File] = []
    /// How many names were skipped, and the path of one of them.
    private(set) var skipped: [Skipped: (count: Int, example: String)] = [:]
    /// A folder that the whole pattern matches, where a file is wanted.
    private(set) var matchingFolder: String?

    private let pattern: FilePathPattern
    private let includesHidden: Bool
    /// How many names were looked at, by earlier searches too.
    private(set) var names: Int
    /// The folders to look through, by their path below the base, with the pattern's positions.
    private var folders: [(path: String, positions: [Int])]

    /// A search that has not begun; `names` are those of earlier searches.
    init(_ pattern: FilePathPattern, includesHidden: Bool, names: Int = 0) {
        self.names = names
        self.pattern = pattern
        self.includesHidden = includesHidden
        folders = [("", pattern.closed([0]))]
    }

    /// Looks through all folders; `list` gives what is in the folder of an absolute path.
    mutating func run(_ list: PlanOptions.FolderLister) throws(Fault) {
        while let folder = folders.popLast() {
            let path = folder.path.isEmpty ? pattern.base : pattern.base + "/" + folder.path
            switch list(path.isEmpty ? "/" : path, Self.mostNames - names) {
            case .children(let children):
                names += children.count
                for child in children { take(child, in: folder.path, at: folder.positions) }
            case .missing:
                // Another process may remove a folder meanwhile.
                if folder.path.isEmpty { throw .missingFolder(path) }
            case .unreadable(let reason): throw .unreadable(path, reason: reason)
            case .tooMany: throw .tooMany
            }
            if files.count > Self.mostFiles { throw .tooMany }
        }
    }

    private mutating func take(_ child: Folder.Child, in folder: String, at positions: [Int]) {
        let next = pattern.positions(
            after: child.name,
            from: positions,
            includesHidden: includesHidden
        )
        guard !next.isEmpty else { return }
        let path = folder.isEmpty ? child.name : folder + "/" + child.name
        let isComplete = pattern.isComplete(next)
        switch child.kind {
        case .file:
            if isComplete { files.append(.init(base: pattern.base, relativePath: path)) }
        case .folder: enter(path, next)
        case .linkToFolder:
            let named = pattern.positions(
                after: child.name,
                from: positions,
                includesHidden: includesHidden,
                isLiteral: true
            )
            enter(path, named)
            if named != next { skip(.linkToFolder, path) }
        case .brokenLink: if isComplete { skip(.brokenLink, path) }
        case .special: if isComplete { skip(.special, path) }
        }
    }

    private mutating func enter(_ path: String, _ positions: [Int]) {
        if positions.contains(pattern.components.count) {
            matchingFolder = matchingFolder ?? path
        }
        let inner = pattern.closed(positions).filter { $0 < pattern.components.count }
        guard !inner.isEmpty, pattern.base.utf8.count + path.utf8.count < AbsolutePath.longest
        else { return }
        folders.append((path, inner))
    }

    private mutating func skip(_ kind: Skipped, _ path: String) {
        let known = skipped[kind]
        skipped[kind] = ((known?.count ?? 0) + 1, known?.example ?? path)
    }
}
