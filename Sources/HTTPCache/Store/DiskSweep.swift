internal import SystemKit

/// Keeps a store on disk within its capacity, whoever writes to it.
///
/// Every process adds what it has written to a count that they share, in steps; near the capacity the files are counted,
/// and those lists that were of use least recently go, with their bodies.
struct DiskSweep: Sendable {
    /// A process writes at most such a part of the capacity before the others know.
    static let steps: Int64 = 256

    /// How much room there is.
    enum Room {
        case enough
        /// It is time to make some.
        case little
        /// Nothing more is stored before there is some: others may be writing, too.
        case none
    }

    let folders: DiskFolders
    /// Bytes.
    let capacity: Int64

    /// A body that no list has yet may be one that is being stored; and so may a file without its final name, nanoseconds.
    static let patience: Int64 = 3_600_000_000_000
    /// How long another process may take to add its number, nanoseconds.
    private static let lockPatience: Int64 = 100_000_000

    private var limit: Int64 { capacity - capacity / 12 }
    private var hardLimit: Int64 { capacity - capacity / 20 }
    private var target: Int64 { capacity / 10 * 9 }

    /// Adds what was written.
    func add(_ written: Int64) -> Room {
        let deadline = Clock.monotonicNanoseconds() + Self.lockPatience
        guard
            let lock = try? FileLock(in: folders.root, name: "usage.lock", until: deadline)
        else { return .enough }
        defer { withExtendedLifetime(lock) {} }
        guard let usage = readUsage() else { return .little }
        let (sum, overflow) = usage.addingReportingOverflow(written)
        if written > 0 { write(usage: overflow ? .max : sum) }
        return overflow || sum > hardLimit ? .none : sum > limit ? .little : .enough
    }

    /// Counts the files and removes what is too much; false when somebody else is at it, or nothing can be listed.
    func run() -> Bool {
        guard let lock = try? FileLock(in: folders.root, name: "sweep.lock"),
            (try? lock.take()) == true,
            let lists = try? folders.lists.entries(), let bodies = try? folders.bodies.entries()
        else { return false }
        defer { withExtendedLifetime(lock) {} }
        let now = Clock.wallNanoseconds()
        var bodiesOfKey: [Substring: [Folder.Entry]] = [:]
        var total: Int64 = 0
        for body in bodies {
            total += body.size
            let prefix = body.name.prefix(DiskFolders.prefixLength)
            bodiesOfKey[prefix, default: []].append(body)
        }
        var kept: [Folder.Entry] = []
        for list in lists {
            if list.name.hasPrefix(".") {
                if now - list.modificationNanoseconds > Self.patience {
                    folders.lists.remove(list.name)
                }
                continue
            }
            total += list.size
            kept.append(list)
        }
        kept.sort { $0.modificationNanoseconds < $1.modificationNanoseconds }
        let aim = total > limit ? target : .max
        for list in kept {
            let ownBodies = bodiesOfKey.removeValue(forKey: DiskFolders.prefix(of: list.name))
            if total > aim { total -= remove(list, ownBodies ?? []) }
        }
        // What is left of the bodies has no list.
        for body in bodiesOfKey.values.joined()
        where now - body.modificationNanoseconds > Self.patience {
            folders.bodies.remove(body.name)
            total -= body.size
        }
        write(usage: total)
        return true
    }

    /// Removes a list and its bodies; returns what they took.
    private func remove(_ list: Folder.Entry, _ bodies: [Folder.Entry]) -> Int64 {
        let lock = try? folders.lock(list.name)
        defer { withExtendedLifetime(lock) {} }
        folders.lists.remove(list.name)
        for body in bodies { folders.bodies.remove(body.name) }
        return bodies.reduce(list.size) { $0 + $1.size }
    }

    /// What there was by the last count, and what was added since; nil without a count.
    private func readUsage() -> Int64? {
        guard let file = try? InputFile(in: folders.root, name: DiskFolders.usage),
            let text = try? file.readPrefix(limit: 64)
        else { return nil }
        return Int64(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private func write(usage: Int64) {
        let text = Array("\(usage)\n".utf8)
        try? OutputFile.replacePrivate(
            DiskFolders.usage,
            in: folders.root,
            with: text.span,
            isDurable: false
        )
    }
}
