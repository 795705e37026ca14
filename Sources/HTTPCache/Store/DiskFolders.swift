internal import SystemKit

/// The folders of a store on disk and what lies in them.
///
///     CACHEDIR.TAG          for programs that make backups (https://bford.info/cachedir/)
///     responses-1/          another layout would have another number
///       lists/<key>         the responses of a URL, replaced as a whole
///       bodies/<key>.<n>    each written once and never changed; the key's first half stands for it
///       lock-0 … lock-f     taken while a list is changed, by the last digit of its key
///       sweep.lock, usage   who makes room, and how much there is by the last count
///
/// All belong to one user and are open to nobody else.
struct DiskFolders: Sendable {
    static let name = "responses-1"
    static let usage = "usage"
    /// How many digits of a key stand in the names of its bodies.
    static let prefixLength = 32

    let root: Folder
    let lists: Folder
    let bodies: Folder

    /// Opens the folders, or makes them.
    ///
    /// - Throws: What the file system says; `EPERM` when others may write there.
    init(in directory: String, create: Bool) throws(SystemError) {
        let path = directory + "/" + Self.name
        root = try Folder(path: path, create: create, mode: 0o700)
        guard root.isPrivate else {
            throw .notPermitted(
                "use",
                path,
                reason: "it belongs to another user, or others may write in it"
            )
        }
        lists = try Folder(path: path + "/lists", create: create, mode: 0o700)
        bodies = try Folder(path: path + "/bodies", create: create, mode: 0o700)
        let parent = try Folder(path: directory, create: false)
        if create, !parent.contains("CACHEDIR.TAG") {
            let tag = Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8)
            try OutputFile.replacePrivate(
                "CACHEDIR.TAG",
                in: parent,
                with: tag.span,
                isDurable: false
            )
        }
    }

    /// What the names of a key's bodies begin with.
    static func prefix(of key: String) -> Substring { key.prefix(prefixLength) }

    /// Takes the lock of a key.
    ///
    /// - Throws: What flock(2) says; `EWOULDBLOCK` when somebody holds it for too long.
    func lock(_ key: String) throws(SystemError) -> FileLock {
        let digit = key.last.map(String.init) ?? "0"
        let deadline = Clock.monotonicNanoseconds() + Self.patience
        return try FileLock(in: root, name: "lock-" + digit, until: deadline)
    }

    /// How long another process may take to change a list, nanoseconds.
    private static let patience: Int64 = 1_000_000_000
}
