internal import CSystem
internal import Glibc

/// Extracts an archive into a folder that appears under its name only when it is complete.
///
/// Files get the permission bits of the archive without setuid, setgid and sticky, less the umask,
/// and its times; their owner is this user. The owner may always read and write.
package final class ArchiveExtraction {
    /// How much was extracted.
    package struct Summary: Sendable, Hashable {
        /// The entries of the archive.
        package var entries: Int
        /// The bytes of all files.
        package var bytes: Int64
        /// The content of the folder before other processes could see it; nil without `mayReplace`.
        package var content: FolderContent?
    }

    /// The folder that gets the content.
    package struct Target: Sendable {
        /// An absolute path without a final slash.
        package var path: String
        /// Whether an older folder may be replaced.
        package var replaces: Bool
        /// How many parts to remove from the front of each name.
        package var stripComponents: Int
        /// How much the archive may become.
        package var limits: ArchiveLimits
        /// Whether the content survives a power loss before the folder is renamed.
        package var isDurable: Bool

        /// Creates a target.
        package init(
            path: String,
            replaces: Bool,
            stripComponents: Int,
            limits: ArchiveLimits,
            isDurable: Bool
        ) {
            self.path = path
            self.replaces = replaces
            self.stripComponents = stripComponents
            self.limits = limits
            self.isDurable = isDurable
        }
    }

    private let target: Target
    private let root: HiddenFolder
    private var tree: ArchiveTree
    private var bytes: Int64 = 0
    private let most: (bytes: Int64, key: String)
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private var links: [(path: [String], target: String)] = []
    /// The last folder that got a file, most often also the folder of the next file; below 0 for
    /// none.
    private var recent: (path: [String], descriptor: Int32) = ([], -1)

    /// Extracts a complete file that has no name yet.
    ///
    /// - Parameters:
    ///   - file: The archive; its content stays as it is.
    ///   - target: The folder.
    ///   - mayReplace: Whether a present folder of that content may be replaced although the target
    ///     does not allow it; asked only when one has the name.
    /// - Returns: How much was extracted.
    /// - Throws: Why nothing was extracted; an older folder is then as it was.
    package static func extract(
        _ file: OutputFile,
        to target: Target,
        mayReplace: ((FolderContent) -> Bool)? = nil
    ) throws(ArchiveFault) -> Summary {
        // The descriptor's offset is where more bytes would be written.
        defer { lseek(file.descriptor, off_t(file.size), SEEK_SET) }
        let reader = try ArchiveReader(file.descriptor)
        let root: HiddenFolder
        do throws(SystemError) {
            root = try HiddenFolder(for: target.path)
        } catch {
            throw .system(error)
        }
        let extraction = ArchiveExtraction(target, root, length: file.size)
        while let entry = try reader.next() {
            let step = try extraction.tree.add(entry)
            try extraction.carryOut(step, entry, reader)
        }
        try extraction.makeLinks()
        var summary = Summary(entries: extraction.tree.count, bytes: extraction.bytes)
        do throws(SystemError) {
            summary.content = try root.publish(
                replaces: target.replaces,
                mayReplace: mayReplace,
                isDurable: target.isDurable
            )
        } catch {
            throw error.isOfOccupant ? .occupied(error) : .system(error)
        }
        return summary
    }

    private init(_ target: Target, _ root: HiddenFolder, length: Int64) {
        self.target = target
        self.root = root
        tree = ArchiveTree(
            stripComponents: target.stripComponents,
            mostEntries: target.limits.entries,
            longestPath: max(255, 4094 - target.path.utf8.count)
        )
        most = target.limits.mostBytes(from: length)
    }

    deinit {
        if recent.descriptor >= 0 { close(recent.descriptor) }
    }

    private func carryOut(
        _ step: ArchiveTree.Step,
        _ entry: ArchiveEntry,
        _ reader: ArchiveReader
    ) throws(ArchiveFault) {
        guard let last = step.path.last else { return }
        let folder = try openFolder(step)
        switch step.action {
        case .nothing: break
        case .makeFolder:
            let mode = UInt32(entry.mode & 0o777 | 0o700)
            guard unsafe csystem_make_folder(folder, last, mode) == 0 else {
                throw .system(.last("make folder", shown(step.path)))
            }
        case .writeFile: try write(entry, last, in: folder, shown(step.path), reader)
        case .linkFile(let other):
            // No part of either path is a link, because links are made last.
            let path = other.joined(separator: "/")
            if unsafe csystem_link_name(root.descriptor, path, 0, folder, last) != 0 {
                try copy(path, last, in: folder, shown(step.path))
            }
        case .linkLast(let target): links.append((step.path, target))
        }
    }

    /// Opens the folder of a step, and first makes the missing ones on the way.
    private func openFolder(_ step: ArchiveTree.Step) throws(ArchiveFault) -> Int32 {
        let path = step.path.dropLast()
        let root = root.descriptor
        if path.isEmpty { return root }
        if recent.descriptor >= 0, path.count == recent.path.count,
            zip(path, recent.path).allSatisfy({ $0.hasSameBytes(as: $1) })
        {
            return recent.descriptor
        }
        var folder = root
        for (index, part) in path.enumerated() {
            if index >= step.knownFolders, unsafe csystem_make_folder(folder, part, 0o777) != 0 {
                let error = SystemError.last("make folder", shown(Array(path)))
                if folder != root { close(folder) }
                throw .system(error)
            }
            let next = FolderTree.open(part, in: folder)
            let error = SystemError.last("open folder", shown(Array(path)))
            if folder != root { close(folder) }
            guard next >= 0 else { throw .system(error) }
            folder = next
        }
        if recent.descriptor >= 0 { close(recent.descriptor) }
        recent = (Array(path), folder)
        return folder
    }

    private func write(
        _ entry: ArchiveEntry,
        _ name: String,
        in folder: Int32,
        _ path: String,
        _ reader: ArchiveReader
    ) throws(ArchiveFault) {
        // A file of that name is another one for a file system that ignores case.
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let mode = UInt32(entry.mode & 0o777 | 0o600)
        let file = unsafe csystem_openat(folder, name, flags, mode)
        guard file >= 0 else { throw .system(.last("create", path)) }
        defer { close(file) }
        while true {
            let count = try reader.read(into: &buffer)
            if count == 0 { break }
            try take(count, to: file, path)
        }
        if let time = entry.time {
            let moment = timespec(
                tv_sec: Int(time.seconds),
                tv_nsec: Int(min(max(time.nanoseconds, 0), 999_999_999))
            )
            let moments = [moment, moment]
            // Without its time the file is as good.
            _ = unsafe moments.withUnsafeBufferPointer { unsafe futimens(file, $0.baseAddress) }
        }
    }

    /// Copies an earlier file, where the file system has no links.
    private func copy(
        _ path: String,
        _ name: String,
        in folder: Int32,
        _ shown: String
    ) throws(ArchiveFault) {
        let flags = O_NOFOLLOW | O_CLOEXEC
        let old = unsafe csystem_openat(root.descriptor, path, O_RDONLY | flags, 0)
        guard old >= 0 else { throw .system(.last("link", shown)) }
        defer { close(old) }
        var status = stat()
        guard unsafe fstat(old, &status) == 0 else { throw .system(.last("link", shown)) }
        let mode = status.st_mode & 0o777
        let new = unsafe csystem_openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | flags, mode)
        guard new >= 0 else { throw .system(.last("link", shown)) }
        defer { close(new) }
        while true {
            let count = unsafe read(old, &buffer, buffer.count)
            guard count >= 0 else { throw .system(.last("link", shown)) }
            if count == 0 { break }
            try take(count, to: new, shown)
        }
        let times = [status.st_atim, status.st_mtim]
        _ = unsafe times.withUnsafeBufferPointer { unsafe futimens(new, $0.baseAddress) }
    }

    /// Counts the first bytes of the buffer, and writes them to a file.
    private func take(_ count: Int, to file: Int32, _ path: String) throws(ArchiveFault) {
        bytes += Int64(count)
        guard bytes <= most.bytes else {
            throw .tooLarge("its files have more than \(most.bytes) bytes (`\(most.key)`)")
        }
        do throws(SystemError) {
            try Self.write(buffer, first: count, to: file, path)
        } catch {
            throw .system(error)
        }
    }

    private static func write(
        _ bytes: [UInt8],
        first count: Int,
        to file: Int32,
        _ path: String
    ) throws(SystemError) {
        var written = 0
        while written < count {
            let rest = written..<count
            let result = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(
                    file,
                    UnsafeRawBufferPointer(rebasing: $0[rest]).baseAddress,
                    rest.count
                )
            }
            if result < 0 {
                if errno == EINTR { continue }
                throw .last("write", path)
            }
            written += result
        }
    }

    /// Makes the symbolic links.
    private func makeLinks() throws(ArchiveFault) {
        for link in links {
            guard let last = link.path.last else { continue }
            let step = ArchiveTree.Step(
                action: .nothing,
                path: link.path,
                knownFolders: link.path.count
            )
            let folder = try openFolder(step)
            guard unsafe csystem_symlink(link.target, folder, last) == 0 else {
                throw .system(.last("make link", shown(link.path)))
            }
        }
    }

    private func shown(_ path: [String]) -> String {
        target.path + "/" + path.joined(separator: "/")
    }
}

/// How much an archive may become.
package struct ArchiveLimits: Sendable, Hashable {
    /// The most bytes of all files.
    package var size: Int64
    /// The most entries.
    package var entries: Int
    /// The most bytes of all files for each byte of the archive; counts beyond `leastRatioSize`.
    package var ratio: Int

    /// Files of fewer bytes in all may have any ratio: repetitive texts do.
    package static let leastRatioSize: Int64 = 64 << 20

    /// Creates limits.
    package init(size: Int64, entries: Int, ratio: Int) {
        self.size = size
        self.entries = entries
        self.ratio = ratio
    }

    /// The most bytes of files from an archive of a length, and the key that sets that limit.
    func mostBytes(from length: Int64) -> (bytes: Int64, key: String) {
        let (product, overflow) = length.multipliedReportingOverflow(by: Int64(ratio))
        let byRatio = max(overflow ? .max : product, Self.leastRatioSize)
        return byRatio < size ? (byRatio, "maximumRatio") : (size, "maximumSize")
    }
}
