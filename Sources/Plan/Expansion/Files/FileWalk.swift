internal import SystemKit

/// Finds the files that match a pattern by looking through its folder.
struct FileWalk {
    /// Names that match a pattern but are not files that can be sent.
    enum Skipped: CaseIterable {
        case linkToFolder
        case linkOut
        case brokenLink
        case special

        /// A number of such names in words.
        func words(_ count: Int) -> String {
            let isOne = count == 1
            return switch self {
            case .linkToFolder: isOne ? "1 link to a folder" : "\(count) links to folders"
            case .linkOut:
                isOne ? "1 link out of the folder" : "\(count) links out of the folder"
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
    /// The most names that are examined for all patterns of a job.
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
    private var folders: [PendingFolder]

    private struct PendingFolder {
        /// Below the base.
        var path: String
        var positions: [Int]
        /// The folder that its files may not lead out of, below the base too.
        var root: String
    }

    /// A search that has not begun; `names` is the count of names in earlier searches.
    init(_ pattern: FilePathPattern, includesHidden: Bool, names: Int = 0) {
        self.names = names
        self.pattern = pattern
        self.includesHidden = includesHidden
        folders = [PendingFolder(path: "", positions: pattern.closed([0]), root: "")]
    }

    /// Looks through all folders.
    ///
    /// - Parameters:
    ///   - resolve: Gives where an absolute path leads, through all links.
    ///   - list: Gives the children of the folder of an absolute path.
    /// - Throws: Why the search stops early.
    mutating func run(
        resolve: (String) -> String = { $0 },
        _ list: PlanOptions.FolderLister
    ) throws(Fault) {
        while let folder = folders.popLast() {
            let path = folder.path.isEmpty ? pattern.base : pattern.base + "/" + folder.path
            switch list(path.isEmpty ? "/" : path, Self.mostNames - names) {
            case .children(let children):
                names += children.count
                for child in children { take(child, in: folder, resolve) }
            case .missing:
                // Another process may remove a folder meanwhile.
                if folder.path.isEmpty { throw .missingFolder(path) }
            case .unreadable(let reason): throw .unreadable(path, reason: reason)
            case .tooMany: throw .tooMany
            }
            if files.count > Self.mostFiles { throw .tooMany }
        }
    }

    private mutating func take(
        _ child: Folder.Child,
        in folder: PendingFolder,
        _ resolve: (String) -> String
    ) {
        let next = pattern.positions(
            after: child.name,
            from: folder.positions,
            includesHidden: includesHidden
        )
        guard !next.isEmpty else { return }
        let path = folder.path.isEmpty ? child.name : folder.path + "/" + child.name
        let isComplete = pattern.isComplete(next)
        switch child.kind {
        case .file:
            guard isComplete else { return }
            files.append(.init(base: pattern.base, relativePath: path, rootName: folder.root))
        case .linkToFile:
            guard isComplete else { return }
            let named = positions(naming: child, from: folder.positions)
            let root = pattern.isComplete(named) ? nil : folder.root
            let file = FileRows.File(base: pattern.base, relativePath: path, rootName: root)
            let isInside = file.root.map { resolve(file.path).hasBytePrefix(resolve($0) + "/") }
            if isInside == false { skip(.linkOut, path) } else { files.append(file) }
        case .folder: enter(path, next, root: folder.root)
        case .linkToFolder:
            let named = positions(naming: child, from: folder.positions)
            enter(path, named, root: path)
            if named != next { skip(.linkToFolder, path) }
        case .brokenLink: if isComplete { skip(.brokenLink, path) }
        case .special: if isComplete { skip(.special, path) }
        }
    }

    /// The positions that the pattern reaches by the name itself, without a wildcard.
    private func positions(naming child: Folder.Child, from positions: [Int]) -> [Int] {
        pattern.positions(
            after: child.name,
            from: positions,
            includesHidden: includesHidden,
            isLiteral: true
        )
    }

    private mutating func enter(_ path: String, _ positions: [Int], root: String) {
        if positions.contains(pattern.components.count) {
            matchingFolder = matchingFolder ?? path
        }
        let inner = pattern.closed(positions).filter { $0 < pattern.components.count }
        guard !inner.isEmpty, pattern.base.utf8.count + path.utf8.count < AbsolutePath.longest
        else { return }
        folders.append(PendingFolder(path: path, positions: inner, root: root))
    }

    private mutating func skip(_ kind: Skipped, _ path: String) {
        let known = skipped[kind]
        skipped[kind] = ((known?.count ?? 0) + 1, known?.example ?? path)
    }
}
