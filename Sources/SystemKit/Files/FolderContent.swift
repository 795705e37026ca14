internal import CSystem
internal import Glibc

/// A summary of the content of a folder, which differs after an addition, a removal, a change or a
/// renaming.
///
/// The summary covers the inode, the size and the time of the last change of a file, and the inode
/// of a link. It does not detect changes by a user who sets times by hand.
package struct FolderContent: Sendable, Hashable {
    /// The most levels that are read.
    private static let deepest = 512

    /// The sum of the entries' hashes, so that their order does not count.
    package private(set) var stamp: UInt64 = 0

    /// Reads the names in a folder and below; nil when not all of them can be read.
    ///
    /// Follows no link and enters no other file system.
    package init?(at path: String) {
        guard let folder = try? Folder(path: path, create: false) else { return nil }
        self.init(of: folder.descriptor)
    }

    /// Reads the names in an open folder and below; nil when not all of them can be read.
    init?(of folder: Int32) {
        var status = stat()
        guard unsafe fstat(folder, &status) == 0,
            add(folder, "", device: status.st_dev, depth: 0)
        else { return nil }
    }

    private mutating func add(_ folder: Int32, _ path: String, device: dev_t, depth: Int) -> Bool {
        guard depth < Self.deepest, let stream = FolderStream(of: folder) else { return false }
        while true {
            guard let name = stream.next()?.name else { return errno == 0 }
            var status = stat()
            guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_dev == device
            else { return false }
            let inner = path + "/" + name
            let kind = status.st_mode & S_IFMT
            var facts = "\(inner)\0\(kind)"
            if kind != S_IFDIR {
                let time = status.st_mtim
                facts += " \(status.st_ino) \(status.st_size) \(time.tv_sec) \(time.tv_nsec)"
            }
            stamp &+= ContentHash(of: Array(facts.utf8).span).value
            guard kind == S_IFDIR else { continue }
            let child = FolderTree.open(name, in: folder)
            guard child >= 0 else { return false }
            defer { close(child) }
            guard add(child, inner, device: device, depth: depth + 1) else { return false }
        }
    }
}
