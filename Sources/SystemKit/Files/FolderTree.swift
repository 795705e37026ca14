internal import CSystem
internal import Glibc

/// Folders with their whole content.
enum FolderTree {
    /// The most levels that are removed.
    private static let deepest = 512

    /// Removes a folder and its content, as far as this user may.
    ///
    /// Follows no link and enters no other file system.
    static func remove(_ name: String, in folder: Int32) {
        let child = open(name, in: folder)
        if child >= 0 {
            var status = stat()
            if unsafe fstat(child, &status) == 0 { empty(child, device: status.st_dev, depth: 0) }
            close(child)
        }
        unsafe _ = csystem_remove_folder(folder, name)
    }

    /// Removes folders that killed processes left under temporary names.
    ///
    /// Leaves folders that are not certainly of this program and user, and those of processes that
    /// still run, which hold a lock.
    static func removeLeftovers(in folder: Folder) {
        // Of a larger folder the search would take longer than it is worth.
        let names = try? Folder.names(in: folder.path, limit: 10_000) {
            TemporaryName.isWellFormed($0)
        }
        for name in names.flatMap(\.self) ?? [] {
            let child = open(name, in: folder.descriptor)
            guard child >= 0 else { continue }
            defer { close(child) }
            let claim = FileClaim(child)
            defer { withExtendedLifetime(claim) {} }
            var status = stat()
            guard claim != nil, unsafe fstat(child, &status) == 0, status.st_uid == geteuid() else {
                continue
            }
            if TemporaryName.isOwn(name, inode: UInt64(status.st_ino)) {
                remove(name, in: folder.descriptor)
            } else if TemporaryName.isOwn(name, inode: TemporaryName.ofEmptyFile) {
                // Fails unless the folder is empty.
                unsafe _ = csystem_remove_folder(folder.descriptor, name)
            }
        }
    }

    /// Opens a folder that is no link; -1 without one.
    static func open(_ name: String, in folder: Int32) -> Int32 {
        unsafe csystem_openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
    }

    private static func empty(_ folder: Int32, device: dev_t, depth: Int) {
        guard depth < deepest, let stream = FolderStream(of: folder) else { return }
        while let name = stream.next()?.name {
            if unsafe csystem_unlink(folder, name) == 0 { continue }
            let child = open(name, in: folder)
            guard child >= 0 else { continue }
            var status = stat()
            if unsafe fstat(child, &status) == 0, status.st_dev == device {
                empty(child, device: device, depth: depth + 1)
            }
            close(child)
            unsafe _ = csystem_remove_folder(folder, name)
        }
    }
}
