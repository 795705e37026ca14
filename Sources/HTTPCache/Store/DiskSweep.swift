internal import SystemKit

/// Keeps a store on disk within its capacity, whichever processes write to it.
///
/// Each process announces its writes in a shared count, in steps. Near the capacity a sweep counts
/// the files and removes lists with their bodies: useless responses first, then the least recently
/// used.
struct DiskSweep: Sendable {
    /// A process announces this fraction of the capacity in advance.
    static let steps: Int64 = 256

    /// How much room there is.
    enum Room {
        case enough
        /// A sweep should make room.
        case little
        /// No new file until a sweep has made room: other processes may be writing, too.
        case full
        /// The file to be named exceeds the capacity.
        case exceeded
    }

    /// The shared count.
    struct Usage: Equatable {
        /// The bytes at the last count plus those announced since.
        var size: Int64
        /// How often the files were counted; announcements before the last count matter only as far
        /// as their files existed.
        var counts: Int64
    }

    /// A list and its bodies, known by name only.
    private struct Stored {
        let list: Folder.Entry
        var bodies: [Folder.Entry] = []

        var size: Int64 { bodies.reduce(list.size) { $0.addingSaturated($1.size) } }

        /// Whether all its responses are stale and cannot be validated.
        func isUseless(at now: Int64) -> Bool {
            !bodies.isEmpty
                && bodies.allSatisfy { body in
                    DiskFolders.uselessFrom(body.name).map { $0 <= now } ?? false
                }
        }
    }

    let folders: DiskFolders
    /// Bytes.
    let capacity: Int64

    /// An unlisted file younger than this may still be in progress, nanoseconds.
    private static let patience: Int64 = 3_600_000_000_000
    private static let second: Int64 = 1_000_000_000
    private static let usageLock = "usage.lock"

    private var limit: Int64 { capacity - capacity / 12 }
    private var hardLimit: Int64 { capacity - capacity / 20 }
    private var target: Int64 { capacity / 10 * 9 }

    // MARK: - The counted bytes

    /// Announces bytes of a file to be named.
    ///
    /// - Returns: The room left and the number of the count; nil when another process holds the
    ///   lock.
    func add(_ size: Int64) -> (room: Room, counts: Int64)? {
        guard let lock = try? folders.lock(Self.usageLock) else { return nil }
        defer { withExtendedLifetime(lock) {} }
        guard var usage else {
            // The first count includes the existing files.
            write(Usage(size: max(0, size), counts: 0))
            return (.little, 0)
        }
        usage.add(size)
        if size != 0 { write(usage) }
        return (room(at: usage.size), usage.counts)
    }

    /// Withdraws an announced but unnamed file, unless the files were counted since.
    func takeBack(_ size: Int64, addedAt counts: Int64) {
        guard let lock = try? folders.lock(Self.usageLock) else { return }
        defer { withExtendedLifetime(lock) {} }
        guard var usage, usage.counts == counts else { return }
        usage.add(-size)
        write(usage)
    }

    private func room(at size: Int64) -> Room {
        switch size {
        case ...limit: .enough
        case ...hardLimit: .little
        case ...capacity: .full
        default: .exceeded
        }
    }

    /// The shared count; nil before the first count.
    var usage: Usage? {
        guard let file = try? InputFile(in: folders.root, name: DiskFolders.usage),
            let text = try? file.readPrefix(limit: 64)
        else { return nil }
        let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let numbers = line.splitAtBytes(" ").map { Int64($0) }
        guard numbers.count == 2, let size = numbers[0], let counts = numbers[1], size >= 0
        else { return nil }
        return Usage(size: size, counts: counts)
    }

    private func write(_ usage: Usage) {
        let text = Array("\(usage.size) \(usage.counts)\n".utf8)
        try? OutputFile.replacePrivate(
            DiskFolders.usage,
            in: folders.root,
            with: text.span,
            isDurable: false
        )
    }

    /// Notes the start of a count: a file named from now on is announced again.
    private func beginCount() -> Usage? {
        guard let lock = try? folders.lock(Self.usageLock) else { return nil }
        defer { withExtendedLifetime(lock) {} }
        var usage = usage ?? Usage(size: 0, counts: 0)
        usage.counts &+= 1
        write(usage)
        return usage
    }

    /// Writes the counted bytes plus those that other processes announced since the start.
    private func endCount(_ total: Int64, since begun: Usage) {
        guard let lock = try? folders.lock(Self.usageLock) else { return }
        defer { withExtendedLifetime(lock) {} }
        var counted = Usage(size: total, counts: begun.counts)
        counted.add(max(0, (usage ?? begun).size - begun.size))
        write(counted)
    }

    // MARK: - Making room

    /// Counts the files and removes the excess; does nothing while another process sweeps.
    func run() {
        guard let lock = try? FileLock(in: folders.root, name: "sweep.lock"),
            (try? lock.take()) == true, let begun = beginCount()
        else { return }
        guard let lists = try? folders.lists.entries(), let bodies = try? folders.bodies.entries()
        else { return }
        let now = Clock.wallNanoseconds()
        var total = (lists + bodies).reduce(0 as Int64) { $0.addingSaturated($1.size) }
        var (stored, nobodys) = Self.stored(lists, bodies)
        if isTimeForLeftovers(lock, at: now) { nobodys += leftovers(in: &stored) }
        // No list names these bodies.
        total -= removeOld(nobodys, from: folders.bodies, at: now)
        total -= removeOld(
            lists.filter { $0.name.hasBytePrefix(".") },
            from: folders.lists,
            at: now
        )
        if total > limit {
            for candidate in Self.inOrderOfUse(stored, at: now / Self.second) {
                guard total > target else { break }
                total -= remove(candidate, at: now)
            }
        }
        endCount(total, since: begun)
    }

    /// The lists with their bodies, and the bodies without a list.
    private static func stored(
        _ lists: [Folder.Entry],
        _ bodies: [Folder.Entry]
    ) -> ([Stored], [Folder.Entry]) {
        var stored: [Stored] = []
        var places: [Substring: Int] = [:]
        for list in lists where !list.name.hasBytePrefix(".") {
            places[DiskFolders.prefix(of: list.name)] = stored.count
            stored.append(Stored(list: list))
        }
        var nobodys: [Folder.Entry] = []
        for body in bodies {
            if let place = places[DiskFolders.prefix(of: body.name)] {
                stored[place].bodies.append(body)
            } else {
                nobodys.append(body)
            }
        }
        return (stored, nobodys)
    }

    /// Useless responses first, then by last use.
    private static func inOrderOfUse(_ stored: [Stored], at now: Int64) -> [Stored] {
        let ranks = stored.map { stored in
            (stored.isUseless(at: now) ? 0 : 1, stored.list.modificationNanoseconds)
        }
        return stored.indices.sorted { ranks[$0] < ranks[$1] }.map { stored[$0] }
    }

    /// Removes a list and its bodies, except a body that is about to be listed.
    ///
    /// - Returns: The removed bytes; 0 when the list is in use.
    private func remove(_ stored: Stored, at now: Int64) -> Int64 {
        let name = stored.list.name
        // Do not wait: other lists can be removed instead.
        guard let lock = try? folders.lockAtOnce(DiskFolders.lockName(of: name)) else { return 0 }
        defer { withExtendedLifetime(lock) {} }
        guard let list = folders.lists.entry(named: name) else { return stored.size }
        let named = DiskList.read(name, in: folders)?.bodyNames ?? []
        guard list.modificationNanoseconds == stored.list.modificationNanoseconds,
            (try? folders.lists.removeForCertain(name)) != nil
        else { return 0 }
        var size = list.size
        for body in stored.bodies
        where named.contains(body.name) || Self.isLeftOver(body, at: now) {
            folders.bodies.remove(body.name)
            size.addSaturated(body.size)
        }
        return size
    }

    // MARK: - The leftovers of killed processes

    /// Whether a search for leftovers, which reads many lists, is due; if so, notes its time.
    private func isTimeForLeftovers(_ lock: FileLock, at now: Int64) -> Bool {
        if let last = lock.note.flatMap({ Int64($0) }), last <= now / Self.second,
            (now / Self.second).subtractingSaturated(last) < Self.patience / Self.second
        {
            return false
        }
        lock.write(note: "\(now / Self.second)")
        return true
    }

    /// Extracts the bodies that the list of their URL does not name.
    private func leftovers(in stored: inout [Stored]) -> [Folder.Entry] {
        var leftovers: [Folder.Entry] = []
        for index in stored.indices where stored[index].bodies.count > 1 {
            guard let list = DiskList.read(stored[index].list.name, in: folders), list.fault == nil
            else { continue }
            let named = list.bodyNames
            leftovers += stored[index].bodies.filter { !named.contains($0.name) }
            stored[index].bodies.removeAll { !named.contains($0.name) }
        }
        return leftovers
    }

    /// Whether an unlisted file is so old that no process will list it.
    static func isLeftOver(_ entry: Folder.Entry, at now: Int64) -> Bool {
        now &- entry.modificationNanoseconds > patience
    }

    /// Removes leftover files; returns their bytes.
    private func removeOld(_ entries: [Folder.Entry], from folder: Folder, at now: Int64) -> Int64 {
        var size: Int64 = 0
        for entry in entries where Self.isLeftOver(entry, at: now) {
            guard (try? folder.removeForCertain(entry.name)) != nil else { continue }
            size.addSaturated(entry.size)
        }
        return size
    }
}

extension DiskSweep.Usage {
    fileprivate mutating func add(_ bytes: Int64) {
        size = max(0, size.addingSaturated(bytes))
    }
}
