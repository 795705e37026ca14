internal import Glibc

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
        guard let stream = unsafe path.withSystemText({ unsafe opendir($0) }) else {
            throw .last("list folder", path)
        }
        defer { unsafe closedir(stream) }
        var entries: [Entry] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(
                    systemText: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self)
                )
            }
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
