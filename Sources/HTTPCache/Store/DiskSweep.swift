internal import SystemKit

/// Keeps a store on disk within its capacity, whoever writes to it.
///
/// Every process adds what it is about to write to a count that they share, in steps. Near the
/// capacity the files are counted, and lists go with their bodies: first those of which nothing is
/// of use any more, then those that were of use least recently.
struct DiskSweep: Sendable {
    /// A process tells the others such a part of the capacity in advance.
    static let steps: Int64 = 256

    /// How much room there is.
    enum Room {
        case enough
        /// It is time to make some.
        case little
        /// Nothing more is begun before there is some: others may be writing, too.
        case full
        /// What is about to be named would be too much.
        case exceeded
    }

    /// What the processes have told each other.
    struct Usage: Equatable {
        /// What there was by the last count, and what was told since, bytes.
        var size: Int64
        /// How often the files were counted; what was told before the last time counts only as far
        /// as it was there.
        var counts: Int64
    }

    /// A list and its bodies, by their names alone.
    private struct Stored {
        let list: Folder.Entry
        var bodies: [Folder.Entry] = []

        var size: Int64 { bodies.reduce(list.size) { $0 &+ $1.size } }

        /// Whether nothing of it is fresh, and nothing can be validated.
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

    /// For how long a file that no list has yet may be one that is being stored, nanoseconds.
    private static let patience: Int64 = 3_600_000_000_000
    private static let second: Int64 = 1_000_000_000
    private static let usageLock = "usage.lock"

    private var limit: Int64 { capacity - capacity / 12 }
    private var hardLimit: Int64 { capacity - capacity / 20 }
    private var target: Int64 { capacity / 10 * 9 }

    // MARK: - What there is

    /// Adds what is about to be named.
    ///
    /// - Returns: How much room is left, and at which count; nil when somebody holds the number, so
    ///   that nobody knows.
    func add(_ size: Int64) -> (room: Room, counts: Int64)? {
        guard let lock = try? folders.lock(Self.usageLock) else { return nil }
        defer { withExtendedLifetime(lock) {} }
        guard var usage else {
            // The first count begins with what is there.
            write(Usage(size: max(0, size), counts: 0))
            return (.little, 0)
        }
        usage.add(size)
        if size != 0 { write(usage) }
        return (room(at: usage.size), usage.counts)
    }

    /// Takes back what was added and not named, if the files were not counted since.
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

    /// What was told so far; nil without a count.
    var usage: Usage? {
        guard let file = try? InputFile(in: folders.root, name: DiskFolders.usage),
            let text = try? file.readPrefix(limit: 64)
        else { return nil }
        let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let numbers = line.split(separator: " ").map { Int64($0) }
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

    /// Notes that the files are about to be counted: who names one from now on tells it once more.
    private func beginCount() -> Usage? {
        guard let lock = try? folders.lock(Self.usageLock) else { return nil }
        defer { withExtendedLifetime(lock) {} }
        var usage = usage ?? Usage(size: 0, counts: 0)
        usage.counts &+= 1
        write(usage)
        return usage
    }

    /// Writes what was counted, and what others have added since that was begun.
    private func endCount(_ total: Int64, since begun: Usage) {
        guard let lock = try? folders.lock(Self.usageLock) else { return }
        defer { withExtendedLifetime(lock) {} }
        var counted = Usage(size: total, counts: begun.counts)
        counted.add(max(0, (usage ?? begun).size - begun.size))
        write(counted)
    }

    // MARK: - Making room

    /// Counts the files and removes what is too much; nothing happens while somebody else is at it.
    func run() {
        guard let lock = try? FileLock(in: folders.root, name: "sweep.lock"),
            (try? lock.take()) == true, let begun = beginCount()
        else { return }
        guard let lists = try? folders.lists.entries(), let bodies = try? folders.bodies.entries()
        else { return }
        let now = Clock.wallNanoseconds()
        var total = (lists + bodies).reduce(0) { $0 &+ $1.size }
        var (stored, nobodys) = Self.stored(lists, bodies)
        if isTimeForLeftovers(lock, at: now) { nobodys += leftovers(in: &stored) }
        // Nobody lists these.
        total -= removeOld(nobodys, from: folders.bodies, at: now)
        total -= removeOld(lists.filter { $0.name.hasPrefix(".") }, from: folders.lists, at: now)
        if total > limit {
            for candidate in Self.inOrderOfUse(stored, at: now / Self.second) {
                guard total > target else { break }
                total -= remove(candidate, at: now)
            }
        }
        endCount(total, since: begun)
    }

    /// The lists with their bodies, and the bodies whose list is not there.
    private static func stored(
        _ lists: [Folder.Entry],
        _ bodies: [Folder.Entry]
    ) -> ([Stored], [Folder.Entry]) {
        var stored: [Stored] = []
        var places: [Substring: Int] = [:]
        for list in lists where !list.name.hasPrefix(".") {
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

    /// What is of no use first, then what was of use least recently.
    private static func inOrderOfUse(_ stored: [Stored], at now: Int64) -> [Stored] {
        let ranks = stored.map { stored in
            (stored.isUseless(at: now) ? 0 : 1, stored.list.modificationNanoseconds)
        }
        return stored.indices.sorted { ranks[$0] < ranks[$1] }.map { stored[$0] }
    }

    /// Removes a list and its bodies, but for one that is about to be listed.
    ///
    /// - Returns: What they took, bytes; 0 when the list is in use.
    private func remove(_ stored: Stored, at now: Int64) -> Int64 {
        let name = stored.list.name
        // Nobody is waited for: there are others to remove.
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
            size &+= body.size
        }
        return size
    }

    // MARK: - What killed processes have left

    /// Whether leftovers were not looked for lately, for which many lists are read; notes that they
    /// are now.
    private func isTimeForLeftovers(_ lock: FileLock, at now: Int64) -> Bool {
        if let last = lock.note.flatMap({ Int64($0) }), last <= now / Self.second,
            now / Self.second - last < Self.patience / Self.second
        {
            return false
        }
        lock.write(note: "\(now / Self.second)")
        return true
    }

    /// Takes out the bodies that the list of their URL does not name.
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

    /// Whether a file that no list has was there for so long that nobody will name it any more.
    static func isLeftOver(_ entry: Folder.Entry, at now: Int64) -> Bool {
        now &- entry.modificationNanoseconds > patience
    }

    /// Removes those that nobody is storing any more; returns what they took.
    private func removeOld(_ entries: [Folder.Entry], from folder: Folder, at now: Int64) -> Int64 {
        var size: Int64 = 0
        for entry in entries where Self.isLeftOver(entry, at: now) {
            guard (try? folder.removeForCertain(entry.name)) != nil else { continue }
            size += entry.size
        }
        return size
    }
}

extension DiskSweep.Usage {
    fileprivate mutating func add(_ bytes: Int64) {
        let (sum, overflow) = size.addingReportingOverflow(bytes)
        size = overflow ? .max : max(0, sum)
    }
}
