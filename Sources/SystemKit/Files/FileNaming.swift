internal import CSystem
internal import Glibc

/// The calls that give files and folders their names within a folder, for all file systems.
///
/// NFS, 9p, Ceph and Gluster have neither `O_TMPFILE` nor the flags of renameat2(2), and many FUSE
/// mounts have no links. They answer with various errors, and sandboxes with others. So every
/// failure but a taken name lets the next call try, and the error of the last one counts.
enum FileNaming {
    /// Whether unnamed files can be named on the file systems with those numbers (`st_dev`).
    private static let namesUnnamed = Lock([UInt64: Bool]())

    /// Creates a file without a name; -1 where that is impossible, or where the file could get no
    /// name later.
    static func openUnnamed(in folder: Int32, mode: mode_t) -> Int32 {
        let file = csystem_open_unnamed(folder, mode)
        var status = stat()
        guard file >= 0, unsafe fstat(file, &status) == 0 else { return -1 }
        let device = UInt64(status.st_dev)
        let known = namesUnnamed.withLock { $0[device] }
        let isPossible = known ?? canNameUnnamed(in: folder)
        if known == nil { namesUnnamed.withLock { $0[device] = isPossible } }
        if isPossible { return file }
        close(file)
        return -1
    }

    /// Whether a file without a name can get one; tries with a file that it removes again.
    ///
    /// Some sandboxes and mounts refuse links, and before Linux 6.10 an unprivileged process needs
    /// /proc.
    static func canNameUnnamed(in folder: Int32) -> Bool {
        let file = csystem_open_unnamed(folder, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        let name = TemporaryName.make(for: "probe", inode: TemporaryName.ofEmptyFile)
        guard link(file, in: folder, as: name) else { return false }
        unsafe _ = csystem_unlink(folder, name)
        return true
    }

    /// Names an open file: by descriptor where the kernel lets its opener (Linux 6.10), else
    /// through /proc.
    static func link(_ descriptor: Int32, in folder: Int32, as name: String) -> Bool {
        if unsafe csystem_link(descriptor, folder, name) == 0 { return true }
        guard errno != EEXIST else { return false }
        return unsafe csystem_link_name(
            AT_FDCWD,
            "/proc/self/fd/\(descriptor)",
            AT_SYMLINK_FOLLOW,
            folder,
            name
        ) == 0
    }

    /// Renames a file that no other process renames; false with `EEXIST` when the new name is
    /// taken.
    ///
    /// Without links and the flags of renameat2(2), a file that appears between the last look and
    /// the rename is replaced. A process that is killed between link(2) and unlink(2) leaves both
    /// names.
    static func renameToFree(_ name: String, to free: String, in folder: Int32) -> Bool {
        if unsafe csystem_rename_to_free(folder, name, free) == 0 { return true }
        guard errno != EEXIST else { return false }
        if unsafe csystem_link_name(folder, name, 0, folder, free) == 0 {
            unsafe _ = csystem_unlink(folder, name)
            return true
        }
        guard errno != EEXIST else { return false }
        if status(of: free, in: folder) != nil {
            errno = EEXIST
            return false
        }
        return unsafe csystem_rename(folder, name, free) == 0
    }

    /// Whether two names belong to one file.
    static func areOfOneFile(_ one: String, _ other: String, in folder: Int32) -> Bool {
        guard let first = status(of: one, in: folder), let second = status(of: other, in: folder)
        else { return false }
        return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)
    }

    /// The status of a name's own file, even if it is a link; nil without the name.
    static func status(of name: String, in folder: Int32) -> stat? {
        var status = stat()
        let code = unsafe name.withSystemText {
            unsafe fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW)
        }
        return code == 0 ? status : nil
    }
}
