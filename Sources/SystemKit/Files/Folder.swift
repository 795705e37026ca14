internal import CSystem
internal import Glibc

/// An open folder, so that operations in it do not depend on its path.
package final class Folder: Sendable {
    /// The path by which the folder was opened; the folder may have moved since.
    package let path: String
    let descriptor: Int32

    /// Opens a folder; with `create`, first creates it and its missing parents.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working folder.
    ///   - create: Whether to create missing folders.
    ///   - mode: The permissions of created folders, before the umask.
    ///   - isDurable: Whether created folders survive a power loss from the start.
    /// - Throws: The errors of open(2), mkdir(2) and fsync(2).
    package init(
        path: String,
        create: Bool,
        mode: UInt32 = 0o777,
        isDurable: Bool = false
    ) throws(SystemError) {
        let path = path.isEmpty ? "." : path
        var descriptor = Self.open(path)
        if descriptor < 0, errno == ENOENT, create {
            try Self.make(path, mode: mode, isDurable: isDurable)
            descriptor = Self.open(path)
        }
        guard descriptor >= 0 else { throw .last("open folder", path) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The path of a file in this folder, for messages.
    package func path(of name: String) -> String {
        path.utf8.last == UInt8(ascii: "/") ? path + name : path + "/" + name
    }

    /// Whether the folder's path still leads to this folder.
    package var isAtItsPath: Bool {
        var own = stat()
        var other = stat()
        return unsafe fstat(descriptor, &own) == 0
            && path.withSystemText({ unsafe stat($0, &other) }) == 0
            && own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    /// Whether the folder belongs to this user and no other user may write in it.
    package var isPrivate: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_uid == geteuid()
            && status.st_mode & 0o022 == 0
    }

    /// Whether the folder is in memory (tmpfs, ramfs), where syncing is pointless.
    package var isInMemory: Bool {
        // TMPFS_MAGIC and RAMFS_MAGIC of <linux/magic.h>.
        [0x0102_1994, 0x8584_58f6].contains(csystem_file_system(descriptor))
    }

    /// Makes the names in this folder survive a power loss.
    ///
    /// Some network file systems (CIFS) sync no folders: their server does.
    package func sync() throws(SystemError) {
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS else {
            throw .last("sync folder", path)
        }
    }

    /// Identifies a folder, whatever path leads to it.
    package struct Identity: Sendable, Hashable {
        /// `st_dev`.
        let device: UInt64
        /// `st_ino`.
        let inode: UInt64
    }

    /// The same for every path to this folder, and unique while this folder is open.
    package var identity: Identity {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
            return Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        }
    }

    /// A folder's path without links, `..` and a final slash.
    ///
    /// Parts that do not exist stay as they are. `path` is absolute; the root's path is empty.
    package static func canonicalPath(_ path: String) -> String {
        let slash = UInt8(ascii: "/")
        var known = path[...]
        while known.utf8.last == slash { known.removeLast() }
        var rest = ""
        while !known.isEmpty {
            if let resolved = unsafe String(known).withSystemText({ unsafe realpath($0, nil) }) {
                defer { unsafe free(resolved) }
                let text = unsafe String(systemText: resolved)
                return (text == "/" ? "" : text) + rest
            }
            let end = known.utf8.lastIndex(of: slash) ?? known.startIndex
            rest = String(known[end...]) + rest
            known = known[..<end]
        }
        return rest
    }

    /// Whether a path leads through another user's folder that this user may not enter.
    package static func isOutOfReach(_ path: String) -> Bool {
        let look = { (path: Substring) -> stat? in
            var status = stat()
            let code = unsafe String(path).withSystemText { unsafe lstat($0, &status) }
            return code == 0 ? status : nil
        }
        var known = path[...]
        guard look(known) == nil, errno == EACCES else { return false }
        while let slash = known.utf8.lastIndex(of: UInt8(ascii: "/")), slash > known.startIndex {
            known = known[..<slash]
            if let status = look(known) { return status.st_uid != geteuid() }
        }
        return false
    }

    /// The bytes that an unprivileged user may still write here; nil when unknown.
    package var availableBytes: Int64? {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0, status.f_blocks > 0 else { return nil }
        let (product, overflow) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : Int64(clamping: product)
    }

    /// Whether the folder contains a file of that name, of any type.
    package func contains(_ name: String) -> Bool {
        var status = stat()
        return unsafe name.withSystemText {
            unsafe fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) == 0
        }
    }

    /// Removes a file; ignores failures.
    package func remove(_ name: String) { try? removeForCertain(name) }

    /// Removes a file; throws the error of unlinkat(2) when the name is still there.
    package func removeForCertain(_ name: String) throws(SystemError) {
        guard unsafe csystem_unlink(descriptor, name) != 0, errno != ENOENT else { return }
        throw .last("remove", path(of: name))
    }

    /// The names in a folder with a given ending; empty when the folder is missing.
    ///
    /// - Parameters:
    ///   - path: The folder's path.
    ///   - ending: The end of the names.
    ///   - limit: How many names are examined.
    /// - Returns: Nil when the folder has more names.
    /// - Throws: The error of opendir(3) or readdir(3).
    package static func names(
        in path: String,
        endingWith ending: String,
        limit: Int = .max
    ) throws(SystemError) -> [String]? {
        try names(in: path, limit: limit) { $0.hasByteSuffix(ending) }
    }

    /// The names in a folder that satisfy a condition; empty when the folder is missing.
    ///
    /// - Parameters:
    ///   - path: The folder's path.
    ///   - limit: How many names are examined.
    ///   - isWanted: The condition.
    /// - Returns: Nil when the folder has more names.
    /// - Throws: The error of opendir(3) or readdir(3).
    package static func names(
        in path: String,
        limit: Int = .max,
        where isWanted: (String) -> Bool
    ) throws(SystemError) -> [String]? {
        guard let stream = FolderStream(path: path) else {
            let error = SystemError.last("read folder", path)
            if error.isMissing { return [] }
            throw error
        }
        var names: [String] = []
        var count = 0
        while let name = stream.next()?.name {
            count += 1
            guard count <= limit else { return nil }
            if isWanted(name) { names.append(name) }
        }
        guard errno == 0 else { throw .last("read folder", path) }
        return names
    }

    /// Rejects a name whose present file must not be replaced.
    ///
    /// Free names, regular files, and links that are dangling or lead to regular files pass.
    ///
    /// - Throws: The error of `PathOccupant.other`.
    package func requireReplaceable(_ name: String) throws(SystemError) {
        let path = self.path(of: name)
        if name.isEmpty || name == "." || name == ".." {
            throw .notReplaceable(path, type: S_IFDIR)
        }
        if case .other(let error) = PathOccupant(name, in: descriptor, path: path) { throw error }
    }

    private static func open(_ path: String) -> Int32 {
        unsafe csystem_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    }

    private static func make(_ path: String, mode: UInt32, isDurable: Bool) throws(SystemError) {
        let parts = path.splitAtBytes("/")
        var current = path.hasBytePrefix("/") ? "" : "."
        for part in parts {
            let parent = current + "/"
            current = parent + part
            if unsafe current.withSystemText({ unsafe mkdir($0, mode) }) == 0 {
                if isDurable { try Folder(path: parent, create: false).sync() }
            } else if errno != EEXIST {
                throw .last("make folder", current)
            }
        }
    }
}

extension Folder {
    /// A regular file of a folder.
    package struct Entry: Sendable, Hashable {
        /// The file's name, without a slash.
        package var name: String
        /// The size on disk, bytes.
        package var size: Int64
        /// The time of the last change of its content, nanoseconds since 1970.
        package var modificationNanoseconds: Int64

        /// Creates an entry of a folder.
        package init(name: String, size: Int64, modificationNanoseconds: Int64) {
            self.name = name
            self.size = size
            self.modificationNanoseconds = modificationNanoseconds
        }
    }

    /// The regular files of this folder, unordered; skips files that vanish meanwhile.
    ///
    /// - Throws: The error of opendir(3).
    package func entries() throws(SystemError) -> [Entry] {
        guard let stream = FolderStream(path: path) else { throw .last("list folder", path) }
        var entries: [Entry] = []
        while let name = stream.next()?.name {
            if let entry = self.entry(named: name) { entries.append(entry) }
        }
        return entries
    }

    /// The regular file with that name in this folder; nil for anything else.
    package func entry(named name: String) -> Entry? {
        var status = stat()
        guard
            unsafe name.withSystemText({
                unsafe fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW)
            }) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return Entry(
            name: name,
            size: max(Int64(status.st_size), Int64(status.st_blocks) * 512),
            modificationNanoseconds: Int64(status.st_mtim.tv_sec) &* 1_000_000_000
                &+ Int64(status.st_mtim.tv_nsec)
        )
    }
}

extension Folder {
    /// A name in a folder, and the kind of file that it leads to.
    package struct Child: Sendable, Hashable {
        /// The kind of file that a name leads to.
        package enum Kind: Sendable, Hashable {
            case file
            case folder
            case linkToFile
            case linkToFolder
            case brokenLink
            /// A pipe, a socket or a device.
            case special
        }

        /// Without a slash; may have bytes that are not UTF-8.
        package var name: String
        /// The kind of file that the name leads to.
        package var kind: Kind

        /// Creates a child of a folder.
        package init(_ name: String, _ kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    /// The children of the folder at `path`, unordered, without `.` and `..`; skips names that
    /// vanish meanwhile.
    ///
    /// - Returns: Nil when the folder has more names than `limit`.
    /// - Throws: The error of opendir(3) or readdir(3).
    package static func children(of path: String, limit: Int) throws(SystemError) -> [Child]? {
        guard let stream = FolderStream(path: path) else { throw .last("read folder", path) }
        var children: [Child] = []
        while true {
            guard let (name, type) = stream.next() else {
                guard errno == 0 else { throw .last("read folder", path) }
                return children
            }
            guard children.count < limit else { return nil }
            guard let kind = kind(of: name, type, in: stream.descriptor) else { continue }
            children.append(Child(name, kind))
        }
    }

    /// The kind of a file by the type from readdir(3), else by fstatat(2); nil when the name is
    /// gone.
    private static func kind(of name: String, _ type: Int, in folder: Int32) -> Child.Kind? {
        switch type {
        case DT_REG: return .file
        case DT_DIR: return .folder
        case DT_LNK, DT_UNKNOWN: break
        default: return .special
        }
        var status = stat()
        guard
            unsafe name.withSystemText({
                unsafe fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW)
            }) == 0
        else { return nil }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        if isLink, unsafe name.withSystemText({ unsafe fstatat(folder, $0, &status, 0) }) != 0 {
            return .brokenLink
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return isLink ? .linkToFile : .file
        case S_IFDIR: return isLink ? .linkToFolder : .folder
        default: return .special
        }
    }
}
