import Plan
import SystemKit
import TransferModel

/// The job, or the shard of a job, to which locks, idempotency keys, cookies and other state
/// belong.
///
/// A job file's `identifier` decides, wherever the file lies; without one its path, absolute and
/// without links, and in most places its name.
struct JobIdentity: Equatable {
    /// The job's name in the names of its files.
    let name: String
    /// No two jobs have the same; a path has no NUL character.
    private let origin: [UInt8]
    private let isPath: Bool
    /// The part of the job, which has a lock, journals and a report of its own; nil for the whole
    /// job.
    let shard: Shard?

    /// The identity of a job whose file has a path, or of a part of it.
    init(name: String, identifier: String?, path: String, shard: Shard? = nil) {
        isPath = identifier == nil
        self.name = identifier ?? name
        self.shard = shard
        origin =
            identifier.map { Array("\0\($0)".utf8) }
            ?? Array(Self.canonicalPath(of: path).utf8.dropFirst())
    }

    /// The identity of a plan's job.
    init(of plan: Plan, path: String) {
        self.init(name: plan.name, identifier: plan.identifier, path: path, shard: plan.shard)
    }

    /// The identity of the job that a lock is for.
    init(_ lock: LockRequest, path: String) {
        self.init(name: lock.jobName, identifier: lock.identifier, path: path, shard: lock.shard)
    }

    /// The canonical path of a job file, however it was named.
    static func canonicalPath(of jobPath: String) -> String {
        let folder = jobPath.hasBytePrefix("/") ? "" : (ProcessContext.workingFolder ?? "") + "/"
        return Folder.canonicalPath(folder + jobPath)
    }

    /// Eight hexadecimal digits for the job (FNV-1a, 64 bits, folded to 32) and a part of it.
    ///
    /// All spellings of a path and all links to it give the same key.
    func key(of part: String = "") -> String {
        let hash = (origin + Array(part.utf8)).span.fnv1a
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32).padded(to: 8, radix: 16)
    }

    /// The key for jobs that are told apart by their names, too.
    var nameKey: String { key(of: isPath ? "\0\(name)" : "") }
}
