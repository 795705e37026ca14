internal import SystemKit
package import TransferModel

/// The file in which the cookies of a session outlive the run, shared by all processes that run the
/// job.
///
/// Each reads it when it begins and adds its own changes when it ends, under a lock: of two states
/// of a cookie the one that was set later stays, and a deletion is such a state, remembered for a
/// while. The file is replaced as a whole. Its name is that of the file, its lock has `.lock`
/// behind it.
package struct CookieFile: Sendable {
    /// Why cookies could not be read or written, in words.
    package struct Fault: Error, Sendable, Hashable {
        package var message: String
    }

    /// The folder, made with its parents when there is something to write; readable by its owner
    /// alone.
    private let folder: String
    private let name: String

    /// Longer files are none of ours, bytes.
    private static let maximumSize = 64 << 20
    /// How long deletions are remembered: as long as a run may take that has read the file before,
    /// microseconds.
    private static let memoryOfDeletions: Int64 = 30 * 86_400 * 1_000_000
    /// How long another process may take to write, nanoseconds.
    private static let patience: Int64 = 10_000_000_000

    package init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    private var path: String { folder + "/" + name }

    /// Every cookie in the file, expired ones and deletions among them; none when there is no file.
    ///
    /// - Throws: `Fault` when it cannot be read, belongs to somebody else, or is not whole.
    package func read() throws(Fault) -> [Cookie] {
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try InputFile(path: path)
            guard file.exposure == nil else {
                throw .notPermitted("read", path, reason: "others may have written it")
            }
            bytes = try file.readPrefix(limit: Self.maximumSize)
        } catch {
            if error.isMissing { return [] }
            throw Fault(message: error.message)
        }
        guard let cookies = CookieText.parse(bytes) else {
            throw Fault(message: "cannot read \(path): it is not a whole list of cookies")
        }
        return cookies
    }

    /// Adds changes to what the file has by now.
    ///
    /// - Parameters:
    ///   - changes: Persistent cookies and deletions; nothing is touched without any.
    ///   - now: What has expired long ago is dropped.
    /// - Throws: `Fault` when the folder, the lock or the file cannot be made.
    package func write(_ changes: [Cookie], at now: Timestamp) throws(Fault) {
        guard !changes.isEmpty else { return }
        do throws(SystemError) {
            let folder = try Folder(path: folder, create: true, mode: 0o700)
            let deadline = Clock.monotonicNanoseconds() + Self.patience
            let lock = try FileLock(in: folder, name: name + ".lock", until: deadline)
            defer { withExtendedLifetime(lock) {} }
            // What is not whole is not believed, but replaced.
            let kept = (try? read()) ?? []
            let text = CookieText.make(Self.merge(kept, changes, at: now))
            try OutputFile.replacePrivate(name, in: folder, with: text.span)
        } catch {
            throw Fault(message: error.message)
        }
    }

    /// One state of each cookie, the latest; no more of them than a session may have.
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

extension Cookie {
    /// What makes it the same cookie in another state.
    fileprivate var identity: [ByteText] {
        [name, domain, path, isHostOnly ? "" : "."].map(ByteText.init)
    }

    fileprivate var withoutValue: Cookie {
        var cookie = self
        cookie.value = ""
        return cookie
    }
}
