internal import Glibc

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

        /// Without a slash; may have foreign bytes.
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
        guard let stream = unsafe path.withSystemText({ unsafe opendir($0) }) else {
            throw .last("read folder", path)
        }
        defer { unsafe closedir(stream) }
        var children: [Child] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw .last("read folder", path) }
                return children
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(
                    systemText: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self)
                )
            }
            if name == "." || name == ".." { continue }
            guard children.count < limit else { return nil }
            let type = unsafe Int(entry.pointee.d_type)
            guard let kind = unsafe kind(of: name, type, in: dirfd(stream)) else { continue }
            children.append(Child(name, kind))
        }
    }

    /// The kind of a name by the type that readdir(3) tells, else by stat(2); nil without the name.
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
