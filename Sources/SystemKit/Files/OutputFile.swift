internal import CSystem
internal import Glibc

/// A file that is written unnamed and gets its final name when complete, or never.
///
/// The file is created with `O_TMPFILE` where possible, so that even a killed process leaves
/// nothing behind; otherwise under a temporary name in the same folder, which shows a later process
/// that it is a leftover. `FileNaming` gives a free name, and rename(2) replaces an older file. A
/// symbolic link under the name is replaced, never followed. Folders, devices, pipes, sockets and
/// links to them are never replaced.
///
/// Sendable by handing over: one thread writes, another publishes, never at the same time.
/// Meanwhile others may read and sync written bytes and remove the kept name, which only uses the
/// descriptor and locked state.
@safe package final class OutputFile: @unchecked Sendable {
    /// Bytes written so far.
    package private(set) var size: Int64 = 0
    private let folder: Folder
    private let inheritsAccess: Bool
    private let mode: mode_t
    /// The permissions of the published file, regardless of those of the replaced file.
    private var finalMode: mode_t?
    /// The permissions that a replaced file may hand on.
    private var inheritedMode: mode_t = .max
    /// Whether the file already has its final permissions.
    private var hasFinalMode = false
    /// Whether the file was synced for publishing before its permissions were set.
    private var isSyncedBeforeMode = false
    private let name: String
    let descriptor: Int32
    /// Keeps other processes from taking a named file for a leftover; nil while it has no name.
    private var claim: FileClaim?
    /// The file's temporary name; nil while it has none.
    private var temporaryName: String?
    /// Whether the temporary name survives this object.
    private var isKept = false
    /// The failure of a sync, which the kernel reports only once; nil while no other thread syncs.
    private var syncFault: Lock<SystemError?>?

    /// Creates the file that will become `name` in `folder`.
    ///
    /// - Parameters:
    ///   - folder: The destination's folder: a rename is atomic only within it.
    ///   - name: The final name, without a slash.
    ///   - mode: The permissions before the umask.
    ///   - inheritsAccess: Whether to take over owner, group and permissions of a replaced file.
    ///   - startsUnnamed: Whether to create the file unnamed where the file system can.
    /// - Throws: The error of open(2). Only `publish` finds out whether the name is available; call
    ///   `Folder.requireReplaceable` to check earlier.
    package init(
        in folder: Folder,
        name: String,
        mode: UInt32 = 0o666,
        inheritsAccess: Bool = true,
        startsUnnamed: Bool = true
    ) throws(SystemError) {
        self.folder = folder
        self.name = name
        self.mode = mode
        self.inheritsAccess = inheritsAccess
        let unnamed =
            startsUnnamed ? FileNaming.openUnnamed(in: folder.descriptor, mode: mode) : -1
        if unnamed >= 0 {
            descriptor = unnamed
            return
        }
        Leftovers.remove(in: folder)
        // Private until it has its name, because its final mode is not known yet.
        let file = try Self.openNamed(name, in: folder, mode: mode & 0o600)
        (descriptor, claim) = (file.descriptor, file.claim)
        temporaryName = file.name
    }

    /// Creates a file under a temporary name.
    private static func openNamed(
        _ name: String,
        in folder: Folder,
        mode: mode_t
    ) throws(SystemError) -> (descriptor: Int32, name: String, claim: FileClaim?) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        while true {
            // A process that is killed right here leaves an empty file with that name.
            let first = TemporaryName.make(for: name, inode: TemporaryName.ofEmptyFile)
            let descriptor = unsafe csystem_openat(folder.descriptor, first, flags, mode)
            guard descriptor >= 0 else { throw .last("create a file in", folder.path) }
            let claim = FileClaim(descriptor)
            // Another process may take the empty file for a leftover before it is claimed.
            var isTaken = claim == nil && errno == EWOULDBLOCK
            if !isTaken {
                let next = temporaryName(for: name, descriptor, isClaimed: claim != nil)
                if unsafe csystem_rename(folder.descriptor, first, next) == 0 {
                    return (descriptor, next, claim)
                }
                isTaken = errno == ENOENT
            }
            let error = SystemError.last("create a file in", folder.path)
            close(descriptor)
            guard isTaken else {
                folder.remove(first)
                throw error
            }
        }
    }

    /// Opens a file that an earlier process kept, to append to it.
    ///
    /// - Parameters:
    ///   - keptName: The kept file's name.
    ///   - folder: The file's folder.
    ///   - name: The final name, without a slash.
    /// - Throws: The error of open(2); `EWOULDBLOCK` while another process has the file; `EPERM`
    ///   unless it is a regular file of this user with a single name.
    package init(kept keptName: String, in folder: Folder, name: String) throws(SystemError) {
        self.folder = folder
        self.name = name
        mode = 0o666
        inheritsAccess = true
        Leftovers.removeSecondName(keptName, of: name, in: folder)
        descriptor = Self.openKept(keptName, in: folder)
        guard descriptor >= 0 else { throw .last("open", folder.path(of: keptName)) }
        temporaryName = keptName
        isKept = true
        syncFault = Lock(nil)
        try requireClaim("lock")
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1
        else {
            throw .notPermitted(
                "resume",
                folder.path(of: keptName),
                reason: "it is not a regular file of this user with a single name"
            )
        }
        // The previous owner may have renamed the file during the wait.
        try require(keptName)
        size = Int64(status.st_size)
        guard lseek(descriptor, 0, SEEK_END) >= 0 else { throw .last("examine", path) }
    }

    /// Opens a kept file; a file ready for publishing may already have permissions that exclude its
    /// owner.
    private static func openKept(_ name: String, in folder: Folder) -> Int32 {
        let flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = unsafe csystem_openat(folder.descriptor, name, O_RDWR | flags, 0)
        guard descriptor < 0, errno == EACCES else { return descriptor }
        let readable = unsafe csystem_openat(folder.descriptor, name, O_RDONLY | flags, 0)
        guard readable >= 0 else { return readable }
        defer { close(readable) }
        var status = stat()
        // The owner of the lock is about to publish the file.
        let claim = FileClaim(readable)
        defer { withExtendedLifetime(claim) {} }
        guard claim != nil, unsafe fstat(readable, &status) == 0,
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

    /// Appends all bytes, or none when it throws.
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

    /// Writes bytes at an offset, where they count only after `join`.
    ///
    /// - Throws: The error of pwrite(2); some of the bytes may be written.
    package func write(_ bytes: Span<UInt8>, at offset: Int64) throws(SystemError) {
        var written = 0
        let descriptor = descriptor
        while written < bytes.count {
            let rest = bytes.extracting(droppingFirst: written)
            let position = off_t(offset + Int64(written))
            let count = unsafe rest.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, position)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw .last("write", path)
            }
            written += count
        }
    }

    /// Counts the bytes before `end` as written: all of them were, in whatever order.
    package func join(upTo end: Int64) { size = max(size, end) }

    /// Removes the bytes after `size`, which were written at offsets; further writes continue
    /// there.
    package func dropLoose() throws(SystemError) {
        guard ftruncate(descriptor, off_t(size)) == 0,
            lseek(descriptor, off_t(size), SEEK_SET) >= 0
        else { throw .last("truncate", path) }
    }

    /// Counts only the first `count` bytes as written, keeps those up to `end`, and removes the
    /// rest.
    ///
    /// - Throws: The error of ftruncate(2).
    package func loosen(after count: Int64, upTo end: Int64) throws(SystemError) {
        guard count <= size, ftruncate(descriptor, off_t(max(count, end))) == 0,
            lseek(descriptor, off_t(count), SEEK_SET) >= 0
        else { throw .last("truncate", path) }
        size = count
    }

    /// Reads written bytes from `offset`; returns 0 at the end.
    package func read(into buffer: inout [UInt8], at offset: Int64) throws(SystemError) -> Int {
        let descriptor = descriptor
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        }
        guard count >= 0 else { throw .last("read", path) }
        return count
    }

    /// Opens the written file for a reader with a position of its own; the file needs no name.
    ///
    /// - Throws: The error of open(2); `ENOENT` without `/proc`.
    package func reopened() throws(SystemError) -> InputFile {
        try InputFile(path: "/proc/self/fd/\(descriptor)")
    }

    /// Removes all bytes after the first `count`; further writes continue there.
    ///
    /// - Parameter count: Nothing happens when it is `size` or more.
    /// - Throws: The error of ftruncate(2).
    package func truncate(to count: Int64) throws(SystemError) {
        guard count < size else { return }
        guard ftruncate(descriptor, off_t(count)) == 0,
            lseek(descriptor, off_t(count), SEEK_SET) >= 0
        else { throw .last("truncate", path) }
        size = count
    }

    /// Gives the file a name that survives the process; only its owner may open it until
    /// publication.
    ///
    /// - Parameter keptName: A free name in the same folder.
    /// - Throws: `EEXIST` when the name is taken; errors of flock(2), fchmod(2), linkat(2) and
    ///   rename(2).
    package func keep(as keptName: String) throws(SystemError) {
        try requireClaim("keep")
        try restrict()
        let name = try nameTemporarily()
        guard FileNaming.renameToFree(name, to: keptName, in: folder.descriptor) else {
            throw .last("keep", folder.path(of: keptName))
        }
        temporaryName = keptName
        isKept = true
        syncFault = Lock(nil)
    }

    /// Removes the kept name if it still belongs to this file, which is then not published.
    package func remove(keptName: String) {
        guard (try? require(keptName)) != nil else { return }
        unsafe _ = csystem_unlink(folder.descriptor, keptName)
    }

    /// Lets only the owner open the file until publication.
    package func restrict() throws(SystemError) {
        // The file may have the owner of the file that it was to replace.
        if hasFinalMode { fchown(descriptor, geteuid(), .max) }
        hasFinalMode = false
        guard fchmod(descriptor, Self.keptMode) == 0 else { throw .last("set the mode of", path) }
    }

    /// Whether other users or the group may write the file; throws the error of fstat(2).
    package var isWritableByOthers: Bool {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
            return status.st_mode & 0o022 != 0
        }
    }

    /// Identifies the file's mount since the machine started (Linux 6.8); before 6.8, its file
    /// system among the mounted ones.
    package var mount: String {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
            return "\(UInt64(status.st_dev)):\(csystem_mount(descriptor))"
        }
    }

    /// The file's number in its file system (`st_ino`).
    package var inode: UInt64 {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
            return UInt64(status.st_ino)
        }
    }

    /// The file's present properties; throws the error of fstat(2).
    package var identity: InputFile.Identity {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw .last("examine", path) }
            return InputFile.Identity(status)
        }
    }

    /// Checks that the kept name still belongs to this file.
    private func require(_ keptName: String) throws(SystemError) {
        let inode = try inode
        guard let status = FileNaming.status(of: keptName, in: folder.descriptor),
            UInt64(status.st_ino) == inode
        else {
            throw SystemError(errno: ENOENT, operation: "find", subject: folder.path(of: keptName))
        }
    }

    /// Makes the content survive a power loss, without the file's other metadata.
    ///
    /// - Throws: The error of fdatasync(2), or of an earlier sync of the kept file.
    package func syncContent() throws(SystemError) { try sync(by: fdatasync) }

    /// Makes the content survive a power loss.
    ///
    /// A failure is final: the kernel drops the unwritten pages and reports that only once.
    ///
    /// - Throws: The error of fsync(2), or of an earlier sync of the kept file.
    package func sync() throws(SystemError) { try sync(by: fsync) }

    /// Whether a sync of the kept file has failed, so that the content on the disk is unknown.
    package var hasFailedSync: Bool { syncFault?.withLock { $0 != nil } ?? false }

    /// Syncs, unless an earlier sync failed.
    func sync(by call: (Int32) -> Int32) throws(SystemError) {
        guard let syncFault else {
            guard call(descriptor) == 0 else { throw .last("sync", path) }
            return
        }
        // The lock keeps other threads from seeing a synced file between the failure and its note.
        try syncFault.withLock { fault throws(SystemError) in
            if fault == nil, call(descriptor) != 0 { fault = .last("sync", path) }
            if let fault { throw fault }
        }
    }

    /// Sets the exact permissions of the published file, regardless of the umask and the replaced
    /// file.
    package func setMode(exactly mode: UInt16) { finalMode = mode_t(mode & 0o777) }

    /// Sets the dates of modification and last access, seconds since 1970; later writes change them
    /// again.
    ///
    /// A file system that cannot keep the date keeps another one: the content is as good.
    package func setModificationDate(_ seconds: Int64) {
        let time = timespec(tv_sec: Int(seconds), tv_nsec: 0)
        let times = [time, time]
        _ = unsafe times.withUnsafeBufferPointer { unsafe futimens(descriptor, $0.baseAddress) }
    }

    /// Does not inherit the execute permission of a replaced file.
    package func inheritNoExecution() { inheritedMode = ~0o111 }

    /// Makes the content and the final permissions survive a power loss.
    ///
    /// Permissions come first: some file systems (btrfs) lose a change of permissions after the
    /// sync. An unnamed file without a set mode already has those of a new file. `publish` changes
    /// them, and syncs again, only when it replaces an older file.
    ///
    /// - Parameter replacing: The same as in `publish`, which comes next.
    /// - Throws: The error of fchmod(2) or `sync`. A kept file is then private again.
    package func syncForPublishing(replacing: Bool) throws(SystemError) {
        try syncForPublishing(replacing: replacing, by: fsync)
    }

    func syncForPublishing(replacing: Bool, by call: (Int32) -> Int32) throws(SystemError) {
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
    /// - Throws: `EEXIST` when it may not; `EISDIR` or `EINVAL` for a name that must not be
    ///   replaced; errors of fchmod(2), linkat(2), rename(2) and earlier syncs. A kept file then
    ///   stays kept.
    package func publish(replacing: Bool) throws(SystemError) {
        try publish(replacing: replacing, by: fsync)
    }

    func publish(replacing: Bool, by call: (Int32) -> Int32) throws(SystemError) {
        if let syncFault, let fault = syncFault.withLock({ $0 }) { throw fault }
        if isKept, let keptName = temporaryName { try require(keptName) }
        if temporaryName == nil {
            if finalMode != nil { try setMode(replacing: replacing) }
            if FileNaming.link(descriptor, in: folder.descriptor, as: name) { return }
            guard errno == EEXIST, replacing else { throw .last("publish", path) }
        }
        if replacing { try folder.requireReplaceable(name) }
        // While the file has no name to open it by.
        if try setMode(replacing: replacing), isSyncedBeforeMode { try sync(by: call) }
        let temporaryName = try nameTemporarily()
        let isNamed =
            if replacing {
                unsafe csystem_rename(folder.descriptor, temporaryName, name) == 0
            } else {
                FileNaming.renameToFree(temporaryName, to: name, in: folder.descriptor)
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

    /// Gives a file without a name a temporary one; returns the present one.
    @discardableResult
    package func nameTemporarily() throws(SystemError) -> String {
        if let temporaryName { return temporaryName }
        Leftovers.remove(in: folder)
        if claim == nil { claim = FileClaim(descriptor) }
        let name = Self.temporaryName(for: name, descriptor, isClaimed: claim != nil)
        guard FileNaming.link(descriptor, in: folder.descriptor, as: name) else {
            throw .last("name", path)
        }
        temporaryName = name
        return name
    }

    /// Keeps other processes from the file; throws `EWOULDBLOCK` when one has it.
    private func requireClaim(_ operation: String) throws(SystemError) {
        if claim == nil { claim = FileClaim(descriptor) }
        guard claim != nil else { throw .last(operation, path) }
    }

    /// A name by which a later process recognizes a leftover file; random for a file that another
    /// process might take for one now.
    private static func temporaryName(
        for name: String,
        _ descriptor: Int32,
        isClaimed: Bool
    ) -> String {
        var status = stat()
        guard isClaimed, unsafe fstat(descriptor, &status) == 0 else {
            return randomName(for: name)
        }
        return TemporaryName.make(for: name, inode: UInt64(status.st_ino))
    }

    /// Gives the file its final permissions: the exact ones, else the replaced file's, else its
    /// own; and the replaced file's owner and group.
    ///
    /// - Returns: Whether it changed any.
    @discardableResult
    private func setMode(replacing: Bool) throws(SystemError) -> Bool {
        if hasFinalMode { return false }
        hasFinalMode = true
        let usual = mode & ~Self.processMask
        var isChanged = false
        if replacing, inheritsAccess, let old = ReplacedAccess(of: name, in: folder.descriptor) {
            isChanged = old.take(over: descriptor, usual: usual, most: inheritedMode)
        } else if temporaryName != nil {
            fchmod(descriptor, usual)
            isChanged = true
        }
        guard let finalMode else { return isChanged }
        guard fchmod(descriptor, finalMode) == 0 else {
            hasFinalMode = false
            throw .last("set the mode of", path)
        }
        return true
    }

    /// The permissions of an unpublished file.
    private static let keptMode: mode_t = 0o600

    /// The process's umask.
    ///
    /// Reading it requires setting it: a file created meanwhile is at worst private.
    static let processMask: mode_t = {
        let mask = umask(0o077)
        umask(mask)
        return mask
    }()

    /// `.name.XXXXXXXX.part`, cut to the 255 bytes of a name.
    private static func randomName(for name: String) -> String {
        var generator = SystemRandomNumberGenerator()
        let random = String(generator.next() as UInt64, radix: 36)
        return ".\(String(decoding: name.utf8.prefix(200), as: UTF8.self)).\(random).part"
    }
}

extension OutputFile {
    /// Atomically replaces a private file: the old or the new content is always complete.
    ///
    /// - Parameters:
    ///   - name: The file's name, without a slash.
    ///   - folder: The file's folder.
    ///   - content: The new content.
    ///   - isDurable: Whether the content survives a power loss; the name does after a sync of the
    ///     folder.
    /// - Throws: The file system's error; the old file is as it was.
    package static func replacePrivate(
        _ name: String,
        in folder: Folder,
        with content: Span<UInt8>,
        isDurable: Bool = true
    ) throws(SystemError) {
        let file = try OutputFile(in: folder, name: name, mode: 0o600, inheritsAccess: false)
        try file.write(content)
        if isDurable { try file.syncForPublishing(replacing: true) }
        try file.publish(replacing: true)
    }
}
