import Plan
import SystemKit

/// Folders as a test has them.
struct MemoryFolders: Sendable {
    private var folders: [String: [Folder.Child]] = [:]

    /// Folders with these files; a path that ends in `@` is a link to a folder, in `>` one to a
    /// file, in `?` a pipe.
    init(_ paths: [String]) {
        for path in paths {
            var folder = ""
            let names = path.split(separator: "/").map(String.init)
            for name in names.dropLast() {
                add(Folder.Child(name, .folder), to: folder)
                folder += "/" + name
            }
            var name = names.last ?? ""
            let kind: Folder.Child.Kind =
                switch name.last {
                case "@": .linkToFolder
                case ">": .linkToFile
                case "?": .special
                default: .file
                }
            if kind != .file { name.removeLast() }
            add(Folder.Child(name, kind), to: folder)
        }
    }

    /// The site of the fixtures.
    static let site = MemoryFolders([
        "/jobs/site/index.html", "/jobs/site/.hidden", "/jobs/site/pages/a.html",
        "/jobs/site/pages/index.html", "/jobs/site/old@", "/jobs/site/queue?",
    ])

    /// Lists a folder.
    func list(_ path: String) -> PlanOptions.FolderListing {
        folders[path == "/" ? "" : path].map { .children($0) } ?? .missing
    }

    private mutating func add(_ child: Folder.Child, to folder: String) {
        if folders[folder]?.contains(child) != true { folders[folder, default: []].append(child) }
    }
}
