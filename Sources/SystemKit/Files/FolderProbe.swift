internal import CSystem
internal import Glibc

/// Finds out by trying what a folder supports for publishing files.
///
/// The probe removes its own files and does not create missing folders.
package struct FolderProbe: Sendable, Hashable {
    /// The folder, or its nearest existing parent.
    package let path: String
    /// Whether the folder itself exists.
    package let exists: Bool
    /// The permission bits of the folder at `path`.
    package let mode: UInt16
    /// Whether the folder at `path` belongs to this user.
    package let isOwn: Bool
    /// The file system type as mount(8) names it; a number for unusual types.
    package let fileSystem: String
    /// The bytes that an unprivileged user may still write there; nil when unknown.
    package let availableBytes: Int64?
    /// Why no file can be made there; nil when one can.
    package private(set) var refusal: SystemError?
    /// Why no file can be created there; nil when one can.
    package private(set) var hasUnnamedFiles = false
    /// Whether a file can have a second name (linkat(2)).
    package private(set) var hasHardLinks = false
    /// Whether a file can atomically replace another file (rename(2)).
    package private(set) var canReplace = false
    /// Whether a file can be renamed without replacing another (renameat2(2) with
    /// `RENAME_NOREPLACE`).
    package private(set) var canRenameToFree = false

    /// Examines the folder at an absolute path.
    ///
    /// - Throws: The error of open(2) for the nearest existing folder.
    package init(_ path: String) throws(SystemError) {
        let (folder, exists) = try Self.nearest(to: path)
        self.exists = exists
        self.path = folder.path
        var status = stat()
        guard unsafe fstat(folder.descriptor, &status) == 0 else {
            throw .last("examine", folder.path)
        }
        mode = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
        isOwn = status.st_uid == geteuid()
        fileSystem = Self.name(ofType: csystem_file_system(folder.descriptor))
        availableBytes = folder.availableBytes
        tryOut(folder)
    }

    private static func nearest(to path: String) throws(SystemError) -> (Folder, Bool) {
        var candidate = path
        while true {
            do throws(SystemError) {
                return (try Folder(path: candidate, create: false), candidate == path)
            } catch {
                guard error.errno == ENOENT, candidate != "/", candidate.hasBytePrefix("/"),
                    let slash = candidate.utf8.lastIndex(of: UInt8(ascii: "/"))
                else { throw error }
                candidate = slash == candidate.startIndex ? "/" : String(candidate[..<slash])
            }
        }
    }

    private mutating func tryOut(_ folder: Folder) {
        var generator = SystemRandomNumberGenerator()
        let stem = ".runner-doctor.\(String(generator.next() as UInt64, radix: 36))"
        let (one, other) = (stem + ".1", stem + ".2")
        let descriptor = folder.descriptor
        defer {
            unsafe _ = unlinkat(descriptor, one, 0)
            unsafe _ = unlinkat(descriptor, other, 0)
        }
        hasUnnamedFiles = FileNaming.canNameUnnamed(in: descriptor)
        guard Self.make(one, in: descriptor) else {
            refusal = .last("create a file in", folder.path)
            return
        }
        hasHardLinks = unsafe linkat(descriptor, one, descriptor, other, 0) == 0
        if !hasHardLinks { _ = Self.make(other, in: descriptor) }
        // For two names of one file, rename(2) removes neither.
        unsafe _ = unlinkat(descriptor, one, 0)
        if Self.make(one, in: descriptor) {
            canReplace = unsafe renameat(descriptor, one, descriptor, other) == 0
        }
        canRenameToFree = unsafe csystem_rename_to_free(descriptor, other, one) == 0
    }

    private static func make(_ name: String, in folder: Int32) -> Bool {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe csystem_openat(folder, name, flags, 0o600)
        guard file >= 0 else { return false }
        close(file)
        return true
    }

    /// The common types in `<linux/magic.h>`.
    private static func name(ofType type: UInt32) -> String {
        switch type {
        case 0xEF53: "ext4"
        case 0x5846_5342: "xfs"
        case 0x9123_683E: "btrfs"
        case 0x2FC1_2FC1: "zfs"
        case 0xF2F5_2010: "f2fs"
        case 0xCA45_1A4E: "bcachefs"
        case 0x0102_1994: "tmpfs"
        case 0x794C_7630: "overlay"
        case 0x6175_6673: "aufs"
        case 0x6969: "nfs"
        case 0xFF53_4D42, 0xFE53_4D42: "cifs"
        case 0x0102_1997: "9p"
        case 0x6573_5546: "fuse"
        case 0x4D44: "vfat"
        case 0x2011_BAB0: "exfat"
        case 0x5346_544E, 0x7366_746E: "ntfs"
        case 0x9FA0: "proc"
        case 0: "unknown"
        default: "0x" + String(type, radix: 16)
        }
    }
}
