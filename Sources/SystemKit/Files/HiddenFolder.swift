internal import CSystem
internal import Glibc

/// A folder with a hidden name beside its final one, which it gets when complete, or never.
///
/// rename(2) gives it a free name; renameat2(2) exchanges it with an older folder, which is then
/// removed. File systems without that exchange have no folder of the name for a moment. A folder
/// that does not get its name is removed with its content.
final class HiddenFolder {
    let descriptor: Int32
    private let parent: Folder
    private let name: String
    private var temporaryName: String?
    /// Keeps other processes from taking the folder for a leftover.
    private let claim: FileClaim?

    /// Makes the folder, its missing parents too, and removes the leftovers of killed processes
    /// beside it.
    ///
    /// - Parameter path: The final path, absolute and without a final slash.
    /// - Throws: The errors of open(2) and mkdir(2).
    init(for path: String) throws(SystemError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        name = String(path[slash...].dropFirst())
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        parent = try Folder(path: folder, create: true)
        FolderTree.removeLeftovers(in: parent)
        let made = try Self.make(for: name, in: parent)
        (descriptor, claim) = (made.descriptor, made.claim)
        temporaryName = made.name
    }

    /// Makes an empty folder under a temporary name.
    private static func make(
        for name: String,
        in parent: Folder
    ) throws(SystemError) -> (descriptor: Int32, name: String, claim: FileClaim?) {
        while true {
            // A process that is killed right here leaves an empty folder with that name.
            let first = TemporaryName.make(for: name, inode: TemporaryName.ofEmptyFile)
            // No other user looks into an unchecked folder.
            guard unsafe csystem_make_folder(parent.descriptor, first, 0o700) == 0 else {
                throw .last("make a folder in", parent.path)
            }
            let descriptor = FolderTree.open(first, in: parent.descriptor)
            guard descriptor >= 0 else {
                let error = SystemError.last("open folder", parent.path(of: first))
                unsafe _ = csystem_remove_folder(parent.descriptor, first)
                throw error
            }
            let claim = FileClaim(descriptor)
            // Another process may take the empty folder for a leftover before it is claimed.
            var isTaken = claim == nil && errno == EWOULDBLOCK
            if !isTaken {
                guard claim != nil, let next = provableName(for: name, descriptor) else {
                    return (descriptor, first, claim)
                }
                if unsafe csystem_rename(parent.descriptor, first, next) == 0 {
                    return (descriptor, next, claim)
                }
                isTaken = errno == ENOENT
            }
            guard isTaken else { return (descriptor, first, claim) }
            close(descriptor)
        }
    }

    deinit {
        close(descriptor)
        if let temporaryName { FolderTree.remove(temporaryName, in: parent.descriptor) }
    }

    /// Gives the folder its name, and the permissions of a new folder or those of the older one.
    ///
    /// - Parameters:
    ///   - replaces: Whether any older folder may be replaced; an empty one always is.
    ///   - mayReplace: Whether an older folder of that content may be replaced, asked last of all;
    ///     nil when only `replaces` decides.
    ///   - isDurable: Whether the content and the name survive a power loss.
    /// - Returns: The content before others could see it; nil without `mayReplace`, or when it
    ///   cannot be read.
    /// - Throws: The errors of syncfs(2) and rename(2); `isOfOccupant` when something other than a
    ///   folder, or a folder that must stay, has the name.
    func publish(
        replaces: Bool,
        mayReplace: ((FolderContent) -> Bool)?,
        isDurable: Bool
    ) throws(SystemError) -> FolderContent? {
        guard let temporaryName else { return nil }
        let path = parent.path(of: name)
        let usual = 0o777 & ~OutputFile.processMask
        fchmod(descriptor, usual)
        ReplacedAccess(of: name, in: parent.descriptor)?.take(over: descriptor, usual: usual)
        if isDurable, csystem_sync_all(descriptor) != 0 { throw .last("sync", path) }
        let content = mayReplace == nil ? nil : FolderContent(of: descriptor)
        if unsafe csystem_rename(parent.descriptor, temporaryName, name) == 0 {
            self.temporaryName = nil
        } else {
            let error = SystemError.last("replace", path)
            guard errno == ENOTEMPTY || errno == EEXIST else { throw error }
            let old = FolderTree.open(name, in: parent.descriptor)
            guard old >= 0 else { throw .last("replace", path) }
            defer { close(old) }
            let known = replaces ? nil : FolderContent(of: old)
            guard replaces || known.flatMap({ mayReplace?($0) }) == true else { throw error }
            let present = try setAside(temporaryName, path)
            // A file may have been added before the exchange.
            if !replaces, self.content(of: present) != known {
                putBack(present, temporaryName)
                throw error
            }
            self.temporaryName = entomb(present, old)
        }
        if isDurable { try parent.sync() }
        return content
    }

    /// Exchanges the older folder with the new one; returns the present name of the older one.
    private func setAside(_ temporaryName: String, _ path: String) throws(SystemError) -> String {
        var present = temporaryName
        if unsafe csystem_exchange(parent.descriptor, temporaryName, name) != 0 {
            // If this process is killed between the two renames, the user has only the older
            // folder: nothing removes a folder of that name.
            present += "-old"
            guard unsafe csystem_rename(parent.descriptor, name, present) == 0 else {
                throw .last("replace", path)
            }
            guard unsafe csystem_rename(parent.descriptor, temporaryName, name) == 0 else {
                let error = SystemError.last("publish", path)
                unsafe _ = csystem_rename(parent.descriptor, present, name)
                throw error
            }
        }
        return present
    }

    /// Exchanges the folders once more, so that the older one has its name again.
    private func putBack(_ present: String, _ temporaryName: String) {
        let parent = parent.descriptor
        var isBack = false
        if present == temporaryName {
            isBack = unsafe csystem_exchange(parent, present, name) == 0
        } else {
            isBack = unsafe csystem_rename(parent, name, temporaryName) == 0
            unsafe _ = csystem_rename(parent, present, name)
        }
        // Otherwise the hidden name is the older folder's, which must not be removed.
        if !isBack { self.temporaryName = nil }
    }

    /// The content of a folder beside the final name; nil when it cannot be read.
    private func content(of name: String) -> FolderContent? {
        let folder = FolderTree.open(name, in: parent.descriptor)
        guard folder >= 0 else { return nil }
        defer { close(folder) }
        return FolderContent(of: folder)
    }

    /// Gives the older folder a name by which a later process recognizes it, if this process is
    /// killed; returns its present name.
    private func entomb(_ present: String, _ old: Int32) -> String {
        guard let grave = Self.provableName(for: name, old),
            unsafe csystem_rename(parent.descriptor, present, grave) == 0
        else { return present }
        return grave
    }

    /// A name by which a later process recognizes a folder; nil when the folder cannot be examined.
    private static func provableName(for name: String, _ descriptor: Int32) -> String? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return TemporaryName.make(for: name, inode: UInt64(status.st_ino))
    }
}
