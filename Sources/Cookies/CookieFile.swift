internal import SystemKit
package import TransferModel

/// The file with a session's persistent cookies, shared by all processes that run the job.
///
/// Each process reads the file at its start and adds its changes at its end, under a lock. For each
/// cookie the latest state wins; deletions are remembered as states for a while. The file is
/// replaced as a whole. The lock's name is the file's name with `.lock` appended.
package struct CookieFile: Sendable {
    /// The folder, private; created with its parents when there is something to write.
    private let folder: String
    private let name: String

    /// The largest cookie file, bytes; a longer file is not a cookie file.
    private static let maximumSize = 64 << 20
    /// How long deletions are remembered, for runs that read the file before, microseconds.
    private static let memoryOfDeletions: Int64 = 30 * 86_400 * 1_000_000
    /// The time limit for another process's writes, nanoseconds.
    private static let patience: Int64 = 10_000_000_000

    /// Creates a reference to the file `name` in `folder`, which need not exist.
    package init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    private var path: String { folder + "/" + name }

    /// All cookies in the file, including expired ones and deletions; empty without a file.
    ///
    /// - Throws: `CookieFileFault` when the file cannot be read, belongs to another user, or is
    ///   incomplete.
    package func read() throws(CookieFileFault) -> [Cookie] {
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try InputFile(path: path)
            guard file.exposure == nil else {
                throw .notPermitted("read", path, reason: "other users may write to it")
            }
            bytes = try file.readPrefix(limit: Self.maximumSize)
        } catch {
            if error.isMissing { return [] }
            throw CookieFileFault(message: error.message)
        }
        guard let cookies = CookieText.parse(bytes) else {
            throw CookieFileFault(
                message: "cannot read \(path): the list of cookies is incomplete or damaged"
            )
        }
        return cookies
    }

    /// Merges changes with the current content of the file.
    ///
    /// - Parameters:
    ///   - changes: Persistent cookies and deletions; nothing happens without any.
    ///   - now: The current time; long expired cookies are dropped.
    /// - Throws: `CookieFileFault` when the folder, the lock or the file cannot be created.
    package func write(_ changes: [Cookie], at now: Timestamp) throws(CookieFileFault) {
        guard !changes.isEmpty else { return }
        do throws(SystemError) {
            let folder = try Folder(path: folder, create: true, mode: 0o700)
            let deadline = Clock.monotonicNanoseconds() + Self.patience
            let lock = try FileLock(in: folder, name: name + ".lock", until: deadline)
            defer { withExtendedLifetime(lock) {} }
            // An incomplete file is ignored and replaced.
            let kept = (try? read()) ?? []
            let text = CookieText.make(Self.merge(kept, changes, at: now))
            try OutputFile.replacePrivate(name, in: folder, with: text.span)
        } catch {
            throw CookieFileFault(message: error.message)
        }
    }

    /// Removes the file.
    ///
    /// - Parameter now: The current time.
    /// - Returns: The number of cookies that were valid; 0 for a damaged file.
    /// - Throws: `CookieFileFault` when the file cannot be removed.
    package func remove(at now: Timestamp) throws(CookieFileFault) -> Int {
        do throws(SystemError) {
            let folder = try Folder(path: folder, create: false)
            guard folder.contains(name) else { return 0 }
            let deadline = Clock.monotonicNanoseconds() + Self.patience
            let lock = try FileLock(in: folder, name: name + ".lock", until: deadline)
            defer { withExtendedLifetime(lock) {} }
            let kept = (try? read()) ?? []
            try folder.removeForCertain(name)
            return CookieStore(kept, at: now).all.count
        } catch {
            if error.isMissing { return 0 }
            throw CookieFileFault(message: error.message)
        }
    }

    /// The latest state of each cookie, within a session's limit.
    static func merge(_ kept: [Cookie], _ changes: [Cookie], at now: Timestamp) -> [Cookie] {
        var latest: [[ByteText]: Cookie] = [:]
        for cookie in kept + changes {
            let key = cookie.identity
            if let other = latest[key], other.modificationTime > cookie.modificationTime {
                continue
            }
            latest[key] = cookie
        }
        let forgotten = Timestamp(microseconds: now.microseconds) + -memoryOfDeletions
        let deletions = latest.values.filter {
            $0.isExpired(at: now) && $0.modificationTime >= forgotten
        }
        .sorted { $0.modificationTime < $1.modificationTime }
        let live = latest.values.sorted { $0.creationTime < $1.creationTime }
        return CookieStore(live, at: now).all
            + deletions.suffix(CookieStore.maximumCount).map(\.withoutValue)
    }
}

/// Why cookies could not be read or written.
package struct CookieFileFault: Error, Sendable, Hashable {
    /// A sentence without its full stop that names the file.
    package var message: String
}

extension Cookie {
    /// Identifies a cookie across its states.
    fileprivate var identity: [ByteText] {
        [name, domain, path, isHostOnly ? "" : "."].map(ByteText.init)
    }

    fileprivate var withoutValue: Cookie {
        var cookie = self
        cookie.value = ""
        return cookie
    }
}
