internal import CSystem
internal import Glibc

/// The owner, group, permissions and access control list of a file or folder that another one
/// replaces.
///
/// The new one takes over all of them as far as this process may give them; the rest never lets
/// more users in than before.
struct ReplacedAccess {
    private let folder: Int32
    private let name: String
    private let status: stat
    /// Whether another user may have put the file here, so that only its refusals count.
    private let isForeign: Bool

    /// Examines a name; nil unless it belongs to a regular file or a folder.
    init?(of name: String, in folder: Int32) {
        var status = stat()
        let found = unsafe name.withSystemText {
            unsafe fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) == 0
        }
        guard found, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return nil }
        self.folder = folder
        self.name = name
        self.status = status
        isForeign = Self.isForeign(status, in: folder)
    }

    /// Gives an open file without its final name the access of the replaced file.
    ///
    /// - Parameters:
    ///   - descriptor: The file.
    ///   - usual: The permissions of a new file.
    ///   - most: The permissions that the file may have at all.
    /// - Returns: Whether that changed the file.
    @discardableResult
    func take(over descriptor: Int32, usual: mode_t, most: mode_t = .max) -> Bool {
        var own = stat()
        guard unsafe fstat(descriptor, &own) == 0 else { return false }
        let hasGroup =
            own.st_gid == status.st_gid
            || !isForeign && fchown(descriptor, .max, status.st_gid) == 0
        if own.st_uid != status.st_uid, !isForeign { fchown(descriptor, status.st_uid, .max) }
        let permissions = permissions(usual: usual, hasGroup: hasGroup) & most
        // The permissions come last: they limit those of the list.
        let hasList = isForeign || copyAccessList(to: descriptor, hasGroup: hasGroup)
        fchmod(descriptor, hasList ? permissions : permissions & 0o700)
        var now = stat()
        return unsafe fstat(descriptor, &now) != 0
            || (now.st_uid, now.st_gid, now.st_mode) != (own.st_uid, own.st_gid, own.st_mode)
    }

    /// Copies the access control list, whose mask the permissions of the group are; false if it
    /// cannot be kept.
    private func copyAccessList(to descriptor: Int32, hasGroup: Bool) -> Bool {
        let copied = unsafe csystem_copy_access_list(folder, name, descriptor)
        return copied == 0 || copied > 0 && hasGroup
    }

    /// The replaced file's permissions, without those that would let more users in.
    ///
    /// Setuid and setgid bits of files are for the content that they had. Without the old group,
    /// its members count among the others, and members of the new one were among the others.
    private func permissions(usual: mode_t, hasGroup: Bool) -> mode_t {
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        var kept = status.st_mode & (isFolder ? 0o3777 : 0o777)
        // Any user may have linked a world-writable file here.
        if isForeign || !isFolder && status.st_nlink > 1 { kept &= usual }
        guard !hasGroup else { return kept }
        let common = kept & kept >> 3 & 0o7
        return kept & 0o700 | common << 3 | common
    }

    /// Whether the file is a stranger's in a folder that many may write and where only owners may
    /// replace files (sticky): such as `fs.protected_regular` of the kernel distrusts.
    private static func isForeign(_ status: stat, in folder: Int32) -> Bool {
        var parent = stat()
        guard unsafe fstat(folder, &parent) == 0 else { return true }
        return parent.st_mode & S_ISVTX != 0 && parent.st_mode & 0o022 != 0
            && ![geteuid(), parent.st_uid].contains(status.st_uid)
    }
}
