internal import SystemKit

/// The folders of a store on disk and the files in them.
///
///     responses-1/          another layout would have another number
///       CACHEDIR.TAG        for programs that make backups (https://bford.info/cachedir/)
///       lists/<key>         the responses of a URL, replaced as a whole
///       bodies/<key>.<n>    written once, never changed; the key's first half stands for it
///       bodies/<key>.<n>.<t>  one that nothing can validate: of no use after that second
///       lock-0 … lock-f     taken while a list is changed, by the last digit of its key
///       sweep.lock          held while making room; notes the last search for leftovers
///       usage, usage.lock   the last counted size, and the bytes added since
///
/// All belong to one user and are private. A class, because each lookup of a URL takes them.
final class DiskFolders: Sendable {
    static let name = "responses-1"
    static let usage = "usage"
    /// How many digits of a key the names of its bodies have.
    private static let prefixLength = 32

    let root: Folder
    let lists: Folder
    let bodies: Folder
    private let patience = Lock(LockPatience())

    /// Opens the folders, or makes them.
    ///
    /// - Throws: The file system's error; `EPERM` when others may write there.
    init(in directory: String, create: Bool) throws(SystemError) {
        let path = directory + "/" + Self.name
        root = try Self.open(path, create: create)
        lists = try Self.open(path + "/lists", create: create)
        bodies = try Self.open(path + "/bodies", create: create)
        if create { tag() }
    }

    private static func open(_ path: String, create: Bool) throws(SystemError) -> Folder {
        let folder = try Folder(path: path, create: create, mode: 0o700)
        guard folder.isPrivate else {
            throw .notPermitted(
                "use",
                path,
                reason: "the folder belongs to another user, or other users may write to it"
            )
        }
        return folder
    }

    /// Marks the folder for backup programs, if that is possible.
    private func tag() {
        let name = "CACHEDIR.TAG"
        guard !root.contains(name) else { return }
        let tag = Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8)
        try? OutputFile.replacePrivate(name, in: root, with: tag.span, isDurable: false)
    }

    // MARK: - Names

    /// The prefix of the names of a key's bodies; also accepts such a name.
    static func prefix(of key: String) -> Substring { key.prefix(prefixLength) }

    /// Makes an unused name for a body.
    ///
    /// - Parameters:
    ///   - key: The name of the list.
    ///   - end: When the body becomes useless, seconds since 1970; nil when it can be validated
    ///     later.
    /// - Returns: The name.
    static func newBodyName(for key: String, uselessFrom end: Int64?) -> String {
        var generator = SystemRandomNumberGenerator()
        let number = String(generator.next() as UInt64, radix: 36)
        let name = "\(prefix(of: key)).\(number)"
        return end.map { "\(name).\(max(0, $0))" } ?? name
    }

    /// Whether a body of that key may have this name: no other file is opened or removed for it.
    static func isBodyName(_ name: String, of key: String) -> Bool {
        let name = name.utf8.span
        let prefix = prefix(of: key).utf8.span
        guard name.count > prefix.count + 1,
            name.extracting(first: prefix.count).equals(prefix),
            name[prefix.count] == UInt8(ascii: ".")
        else { return false }
        for index in prefix.count + 1..<name.count {
            let isDot = name[index] == UInt8(ascii: ".")
            guard name[index].isDigit || name[index].isLowercase || isDot else { return false }
        }
        return true
    }

    /// When a body becomes useless, seconds since 1970, as its name says; nil when it can be
    /// validated.
    static func uselessFrom(_ body: String) -> Int64? {
        let parts = body.splitAtBytes(".")
        return parts.count == 3 ? Int64(parts[2]) : nil
    }

    // MARK: - Locks

    /// The names of the locks of lists.
    static let lockNames = "0123456789abcdef".map { "lock-\($0)" }

    /// The name of the lock of a list.
    static func lockName(of key: String) -> String { "lock-" + (key.last.map(String.init) ?? "0") }

    /// Takes a lock; waits briefly for it unless a recent wait was in vain.
    ///
    /// - Throws: The error of flock(2); `EWOULDBLOCK` when another process holds the lock.
    func lock(_ name: String) throws(SystemError) -> FileLock {
        let start = Clock.monotonicNanoseconds()
        let deadline = patience.withLock { $0.deadline(for: name, at: start) }
        do throws(SystemError) {
            let lock = try FileLock(in: root, name: name, until: deadline)
            patience.withLock { $0.didTake(name) }
            return lock
        } catch {
            if error.isBusy { patience.withLock { $0.didFail(name, askedAt: start) } }
            throw error
        }
    }

    /// Takes a lock without waiting.
    ///
    /// - Throws: The error of flock(2); `EWOULDBLOCK` when another process holds the lock.
    func lockAtOnce(_ name: String) throws(SystemError) -> FileLock {
        try FileLock(in: root, name: name, until: .min)
    }
}

/// How long to wait for the locks of a store.
///
/// A stopped process keeps its lock. After one wait in vain, this process does not wait for that
/// lock for a while, so that it does not delay every try.
struct LockPatience: Sendable {
    /// The longest time another process may need to change a locked file, nanoseconds.
    static let longestWait: Int64 = 100_000_000
    /// How long a wait in vain is remembered, nanoseconds.
    static let memory: Int64 = 60_000_000_000

    /// For each lock name, the time until which the lock is not waited for.
    private var impatientUntil: [String: Int64] = [:]

    /// The time until which to wait for a lock; `now` for no wait.
    ///
    /// - Parameters:
    ///   - name: The lock's name.
    ///   - now: A reading of `CLOCK_MONOTONIC` in nanoseconds, like all times here.
    /// - Returns: A time on the same clock.
    func deadline(for name: String, at now: Int64) -> Int64 {
        if let end = impatientUntil[name], now < end { return now }
        return now + Self.longestWait
    }

    /// Notes that a lock was not available.
    ///
    /// - Parameters:
    ///   - name: The lock's name.
    ///   - start: When the lock was requested.
    mutating func didFail(_ name: String, askedAt start: Int64) {
        // A failure without a wait says nothing new.
        guard deadline(for: name, at: start) > start else { return }
        impatientUntil[name] = start + Self.longestWait + Self.memory
    }

    /// Notes that a lock was taken.
    mutating func didTake(_ name: String) { impatientUntil[name] = nil }
}
