internal import CSystem
internal import Glibc

/// A file that is written without a name and gets its final name at once, whole, or never.
///
/// Made by `O_TMPFILE` where the file system has it, so that even a killed process leaves nothing
/// behind; otherwise under a random name in the same folder. A name is given by linkat(2) when it
/// is free, by rename(2) when an older file is to be replaced; a symbolic link under the name is
/// replaced, never followed. A folder, a device, a pipe or a socket is never replaced, neither
/// itself nor a symbolic link to it.
///
/// Sendable by handing over: one thread writes, another one publishes, never both at a time. Others
/// may meanwhile read and sync what is written, and take away the name that it was kept by, which
/// touches nothing but the descriptor and what a lock guards.
@safe package final class OutputFile: @unchecked Sendable {
    /// Bytes written so far.
    package private(set) var size: Int64 = 0
    private let folder: Folder
    private let keepsModeOfReplacedFile: Bool
    private let mode: mode_t
    /// The permissions that the file gets with its name, whatever the one has that it replaces.
    private var finalMode: mode_t?
    /// Whether the file has the permissions already that it is to have with its name.
    private var hasFinalMode = false
    /// Whether the file was synced for publishing before its permissions were known.
    private var isSyncedBeforeMode = false
    private let name: String
    private let descriptor: Int32
    /// The random name that the file has meanwhile; nil while it has none.
    private var temporaryName: String?
    /// Whether that name stays when nobody holds the file any more.
    private var isKept = false
    /// How a sync has failed, which the kernel tells only once; nil while others have nothing to
    /// sync.
    private var syncFault: Lock<SystemError?>?

    /// Makes the file that will become `name` in `folder`.
    ///
    /// - Parameters:
    ///   - folder: The destination's folder: only there is a rename atomic.
    ///   - name: The final name, without a slash.
    ///   - mode: The permissions before the umask.
    ///   - keepsModeOfReplacedFile: Whether a file that replaces one of ours takes over its
    ///     permissions.
    ///   - startsUnnamed: Whether it has no name at first, where the file system can do that.
    /// - Throws: What open(2) says. Whether the name can be had shows when it is published; who
    ///   wants to know it before the work asks `Folder.requireReplaceable`.
    package init(
        in folder: Folder,
        name: String,
        mode: UInt32 = 0o666,
        keepsModeOfReplacedFile: Bool = true,
        startsUnnamed: Bool = true
    ) throws(SystemError) {
        self.folder = folder
        self.name = name
        self.mode = mode
        self.keepsModeOfReplacedFile = keepsModeOfReplacedFile
        if startsUnnamed, Self.canNameUnnamed {
            let unnamed = csystem_open_unnamed(folder.descriptor, mode)
            if unnamed >= 0 {
                descriptor = unnamed
                return
            }
            // Some network and overlay file systems have no unnamed files.
            guard errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL else {
                throw .last("create a file in", folder.path)
            }
        }
        let temporaryName = Self.randomName(for: name)
        descriptor = unsafe csystem_openat(
            folder.descriptor,
            temporaryName,
            O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
            // Nobody else reads what may become a file of another mode; its own comes with its
            // name.
            mode & 0o600
        )
        guard descriptor >= 0 else { throw .last("create a file in", folder.path) }
        self.temporaryName = temporaryName
        let provable = makeTemporaryName()
        if unsafe csystem_rename_to_free(folder.descriptor, temporaryName, provable) == 0 {
            self.temporaryName = provable
        }
    }

    /// Opens what an earlier process has kept, for going on at its end.
    ///
    /// - Parameters:
    ///   - keptName: The name by which it was kept.
    ///   - folder: The folder that it is in.
    ///   - name: The final name, without a slash.
    /// - Throws: What open(2) says; `EWOULDBLOCK` while another process has it; `EPERM` for
    ///   anything but a regular file of this user's that has no other name.
    package init(
        kept keptName: String,
        in folder: Folder,
        name: String
    ) throws(SystemError) {
        self.folder = folder
        self.name = name
        mode = 0o666
        keepsModeOfReplacedFile = true
        descriptor = Self.openKept(keptName, in: folder)
        guard descriptor >= 0 else { throw .last("open", folder.path(of: keptName)) }
        temporaryName = keptName
        isKept = true
        syncFault = Lock(nil)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .last("lock", path) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1
        else {
            throw .notPermitted("go on with", folder.path(of: keptName), reason: "it is not ours")
        }
        // Whoever had it before may have renamed it while we waited.
        try require(keptName)
        size = Int64(status.st_size)
        guard lseek(descriptor, 0, SEEK_END) >= 0 else { throw .last("examine", path) }
    }

    /// Opens a kept file; one that was to be published, and has its final permissions already, may
    /// be closed to its owner.
    private static func openKept(_ name: String, in folder: Folder) -> Int32 {
        let flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = unsafe csystem_openat(folder.descriptor, name, O_RDWR | flags, 0)
        guard descriptor < 0, errno == EACCES else { return descriptor }
        let readable = unsafe csystem_openat(folder.descriptor, name, O_RDONLY | flags, 0)
        guard readable >= 0 else { return readable }
        defer { close(readable) }
        var status = stat()
        // Whoever has the lock is about to publish it.
        guard flock(readable, LOCK_EX | LOCK_NB) == 0, unsafe fstat(readable, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1,
            fchmod(readable, keptMode) == 0
        else {
            errno = EACCES
            return -1
        }
        return unsafe csystem_openat(folder.descriptor, name, O_RDWR | flags, 0)
    }

    deinit {
        close(descriptor)
        if let temporaryName, !isKept {
            unsafe _ = csystem_unlink(folder.descriptor, temporaryName)
        }
    }

    /// Appends bytes: all, or none when it throws.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        var written = 0
        let start = size
        let descriptor = descriptor
        while written < bytes.count {
            let rest = bytes.extracting(droppingFirst: written)
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                let error = SystemError.last("write", path)
                try? truncate(to: start)
                throw error
            }
            written += count
            size += Int64(count)
        }
    }

    /// Reads back what was written, from `offset`; returns 0 at the end.
    package func read(into buffer: inout [UInt8], at offset: Int64) throws(SystemError) -> Int {
        let descriptor = descriptor
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        }
        guard count >= 0 else { throw .last("read", path) }
        return count
    }

    /// Drops what is behind the first `count` bytes; what is written next goes there.
    ///
    /// - Parameter count: Nothing happens when it is `size` or more.
    /// - Throws: What ftruncate(2) says.
    package func truncate(to count: Int64) throws(SystemError) {
        guard count < size else { return }
        guard ftruncate(descriptor, off_t(count)) == 0,
            lseek(descriptor, off_t(count), SEEK_SET) >= 0
        else { throw .last("truncate", path) }
        size = count
    }

    /// Gives the file a name that stays even when the process is killed; only its owner may open it
    /// until it is published.
    ///
    /// - Parameter keptName: A free name in the same folder.
    /// - Throws: `EEXIST` when it is not free; what flock(2), fchmod(2), linkat(2) and rename(2)
    ///   say.
    package func keep(as keptName: String) throws(SystemError) {
        let keptPath = folder.path(of: keptName)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .last("keep", keptPath) }
        try restrict()
        if let temporaryName {
            guard unsafe csystem_rename_to_free(folder.descriptor, temporaryName, keptName) == 0
            else { throw .last("keep", keptPath) }
        } else {
            guard link(as: keptName) else { throw .last("keep", keptPath) }
        }
        temporaryName = keptName
        isKept = true
        syncFault = Lock(nil)
    }

    /// Takes the name that it was kept by away from the file, if it still is its own; it is not
    /// published then.
    package func remove(keptName: String) {
        guard (try? require(keptName)) != nil else { return }
        unsafe _ = csystem_unlink(folder.descriptor, keptName)
    }

    /// Lets nobody but its owner open the file, until it is published.
    package func restrict() throws(SystemError) {
        hasFinalMode = false
        guard fchmod(descriptor, Self.keptMode) == 0 else { throw .last("set the mode of", path) }
    }

    /// Whether others may write the file, or its group; what fstat(2) says.
    package var isWritableByOthers: Bool {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
            return status.st_mode & 0o022 != 0
        }
    }

    /// Tells the mount that the file is on from all others since the machine was started (Linux
    /// 6.8); before that, the file system from those that are mounted with it.
    package var mount: String {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
            return "\(UInt64(status.st_dev)):\(csystem_mount(descriptor))"
        }
    }

    /// Which file it is in its file system (`st_ino`).
    package var inode: UInt64 {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
            return UInt64(status.st_ino)
        }
    }

    /// What has the name that the file was kept by may be another file by now.
    private func require(_ keptName: String) throws(SystemError) {
        let inode = try inode
        var status = stat()
        guard
            self.status(of: keptName, &status),
            UInt64(status.st_ino) == inode
        else {
            throw SystemError(errno: ENOENT, operation: "find", subject: folder.path(of: keptName))
        }
    }

    /// Makes the content survive a power loss, but not what else is known of the file.
    ///
    /// - Throws: What fdatasync(2) says; what a sync of the kept file has said before.
    package func syncContent() throws(SystemError) { try sync(by: fdatasync) }

    /// Makes the content survive a power loss.
    ///
    /// A failure is final: the kernel drops the pages that it could not write, and says so only
    /// once.
    ///
    /// - Throws: What fsync(2) says; what a sync of the kept file has said before.
    package func sync() throws(SystemError) { try sync(by: fsync) }

    /// Whether a sync of the kept file has failed: nobody knows what reaches the disk of it.
    package var hasFailedSync: Bool { syncFault?.withLock { $0 != nil } ?? false }

    /// Syncs, unless that has failed before.
    func sync(by call: (Int32) -> Int32) throws(SystemError) {
        guard let syncFault else {
            guard call(descriptor) == 0 else { throw .last("sync", path) }
            return
        }
        // Under the lock, so that nobody takes the file for synced between the failure and its
        // note.
        try syncFault.withLock { fault throws(SystemError) in
            if fault == nil, call(descriptor) != 0 { fault = .last("sync", path) }
            if let fault { throw fault }
        }
    }

    /// Has the file get exactly these permission bits with its name, whatever the umask and the
    /// file that it replaces have.
    package func setMode(exactly mode: UInt16) { finalMode = mode_t(mode & 0o777) }

    /// Makes the content and the permissions with which the file is published survive a power loss.
    ///
    /// The permissions come first: some file systems (btrfs) forget a change of them that follows
    /// the sync. An unnamed file without a mode of its own already has those of a new file;
    /// `publish` sets others, and syncs again, only when it finds an older file under the name.
    ///
    /// - Parameter replacing: As in `publish`, which comes next.
    /// - Throws: What fchmod(2) and `sync` say. What was kept then is for its owner alone again.
    package func syncForPublishing(replacing: Bool) throws(SystemError) {
        try syncForPublishing(replacing: replacing, by: fsync)
    }

    func syncForPublishing(
        replacing: Bool,
        by call: (Int32) -> Int32
    ) throws(SystemError) {
        do throws(SystemError) {
            isSyncedBeforeMode = temporaryName == nil && finalMode == nil
            if !isSyncedBeforeMode { try setMode(replacing: replacing) }
            try sync(by: call)
        } catch {
            if isKept { try restrict() }
            throw error
        }
    }

    /// Gives the file its name.
    ///
    /// - Parameter replacing: Whether an older file of that name may be replaced.
    /// - Throws: `EEXIST` when it may not; `EISDIR` or `EINVAL` when what has the name by now must
    ///   not be replaced; what fchmod(2), linkat(2) and rename(2) say, and what a sync of the kept
    ///   file has said. What was kept then stays so.
    package func publish(replacing: Bool) throws(SystemError) {
        try publish(replacing: replacing, by: fsync)
    }

    func publish(replacing: Bool, by call: (Int32) -> Int32) throws(SystemError) {
        if let syncFault, let fault = syncFault.withLock({ $0 }) { throw fault }
        if isKept, let keptName = temporaryName { try require(keptName) }
        if temporaryName == nil {
            if finalMode != nil { try setMode(replacing: replacing) }
            if link(as: name) { return }
            guard errno == EEXIST, replacing else { throw .last("publish", path) }
        }
        if replacing { try folder.requireReplaceable(name) }
        // Before there is a name to open it by.
        if try setMode(replacing: replacing), isSyncedBeforeMode { try sync(by: call) }
        let temporaryName = temporaryName ?? makeTemporaryName()
        if self.temporaryName == nil {
            guard link(as: temporaryName) else { throw .last("publish", path) }
            self.temporaryName = temporaryName
        }
        let isNamed =
            if replacing {
                unsafe csystem_rename(folder.descriptor, temporaryName, name) == 0
            } else {
                renameToFreeName(from: temporaryName)
            }
        guard isNamed else {
            let error = SystemError.last("publish", path)
            if isKept { try restrict() }
            throw error
        }
        self.temporaryName = nil
        isKept = false
    }

    private var path: String { folder.path(of: name) }

    /// A name by which a later process knows the file as left over, once nobody holds its lock; a
    /// random one where the file cannot be told from others.
    private func makeTemporaryName() -> String {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, let inode = try? inode else {
            return Self.randomName(for: name)
        }
        return TemporaryName.make(for: name, inode: inode)
    }

    private func status(of name: String, _ status: inout stat) -> Bool {
        unsafe name.withSystemText {
            unsafe fstatat(folder.descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) == 0
        }
    }

    /// Moves the file to its final name unless something has it.
    private func renameToFreeName(from temporaryName: String) -> Bool {
        if unsafe csystem_rename_to_free(folder.descriptor, temporaryName, name) == 0 {
            return true
        }
        guard errno == EINVAL || errno == ENOSYS else { return false }
        // A file system without such a rename: linkat(2) does not replace either.
        guard
            unsafe csystem_link_name(
                folder.descriptor,
                temporaryName,
                0,
                folder.descriptor,
                name
            ) == 0
        else { return false }
        unsafe _ = csystem_unlink(folder.descriptor, temporaryName)
        return true
    }

    private func link(as name: String) -> Bool {
        Self.link(descriptor, in: folder.descriptor, as: name)
    }

    /// Gives an open file a free name: by the descriptor where the kernel lets a file's own opener
    /// do that (Linux 6.10), else by its name in /proc.
    static func link(_ descriptor: Int32, in folder: Int32, as name: String) -> Bool {
        if unsafe csystem_link(descriptor, folder, name) == 0 { return true }
        guard errno == ENOENT || errno == EPERM || errno == EINVAL else { return false }
        return unsafe csystem_link_name(
            AT_FDCWD,
            "/proc/self/fd/\(descriptor)",
            AT_SYMLINK_FOLLOW,
            folder,
            name
        ) == 0
    }

    /// Gives the file its final permissions: those that it must have, else those that it takes
    /// over, else what it was made with.
    ///
    /// - Returns: Whether it has set any.
    @discardableResult
    private func setMode(replacing: Bool) throws(SystemError) -> Bool {
        if hasFinalMode { return false }
        hasFinalMode = true
        if let finalMode {
            guard fchmod(descriptor, finalMode) == 0 else {
                hasFinalMode = false
                throw .last("set the mode of", path)
            }
        } else if replacing, keepsModeOfReplacedFile, let inherited = modeOfReplacedFile {
            if hasMode(inherited) { return false }
            fchmod(descriptor, inherited)
        } else if temporaryName != nil {
            fchmod(descriptor, mode & ~Self.processMask)
        } else {
            return false
        }
        return true
    }

    private func hasMode(_ wanted: mode_t) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & 0o777 == wanted
    }

    /// The permissions that the file takes over from the one that it replaces; nil when that is not
    /// a regular file of this user's.
    ///
    /// Of a file with several names anybody may have put this one here (link(2)): its permissions
    /// then take some away and give none.
    private var modeOfReplacedFile: mode_t? {
        var status = stat()
        guard self.status(of: name, &status),
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
        else { return nil }
        let permissions = status.st_mode & 0o777
        return status.st_nlink == 1 ? permissions : permissions & mode & ~Self.processMask
    }

    /// The permissions of a file that waits for its name.
    private static let keptMode: mode_t = 0o600

    /// The process's umask.
    ///
    /// It can only be read by setting it: a file that another thread makes meanwhile is at worst
    /// readable by its owner alone.
    private static let processMask: mode_t = {
        let mask = umask(0o077)
        umask(mask)
        return mask
    }()

    /// Without /proc an unprivileged process can give an unnamed file no name (before Linux 6.10).
    private static let canNameUnnamed = unsafe access("/proc/self/fd", X_OK) == 0

    /// `.name.XXXXXXXX.part`, cut so that it stays within the 255 bytes of a name.
    private static func randomName(for name: String) -> String {
        var generator = SystemRandomNumberGenerator()
        let random = String(generator.next() as UInt64, radix: 36)
        return ".\(String(decoding: name.utf8.prefix(200), as: UTF8.self)).\(random).part"
    }
}
