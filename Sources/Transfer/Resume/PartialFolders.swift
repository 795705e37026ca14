internal import SystemKit
internal import TransferModel

/// Knows in which folders earlier runs have left parts, so that nobody looks for one for each of many files.
struct PartialFolders {
    private enum Content {
        /// The names of all records.
        case records(Set<String>)
        /// Too much to look through: each file is looked for by its name.
        case unknown
    }

    /// A folder with more names is not looked through.
    private static let mostNames = 4096
    /// How many folders are looked through.
    private static let mostFolders = 1000

    /// The folder that was asked for last, most often also that of the next file.
    private var last: (path: String, content: Content)?
    private var known: [String: Content] = [:]

    /// Whether an earlier run may have left a part of the file.
    mutating func mayHave(_ file: TaskSpec.Destination) -> Bool {
        let content = content(of: file)
        switch content {
        case .unknown: return true
        case .records(let names):
            guard !names.isEmpty else { return false }
            return PartialNames(of: file.name).map { names.contains($0.record) } ?? false
        }
    }

    private mutating func content(of file: TaskSpec.Destination) -> Content {
        if let last, file.isIn(last.path) { return last.content }
        let path = file.folder
        let content = known[path] ?? look(path)
        last = (path, content)
        return content
    }

    private mutating func look(_ path: String) -> Content {
        guard known.count < Self.mostFolders else { return .unknown }
        let names = try? Folder.names(
            in: path,
            endingWith: PartialNames.recordEnding,
            limit: Self.mostNames
        )
        let content: Content = names.map { .records(Set($0)) } ?? .unknown
        known[path] = content
        return content
    }
}
