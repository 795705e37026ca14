internal import SystemKit
package import TransferModel

/// Remembers in which folders earlier runs left parts, so that the many files of one folder cost
/// one look.
struct PartialFolders {
    private enum Content {
        /// The names of all records.
        case records(Set<String>)
        /// The folder has more than `limit` names, too many for the files asked for so far: each
        /// part is looked up by its name.
        case many(limit: Int, asked: Int)
    }

    /// A folder with more names is not listed for a single file.
    private static let mostNames = 4096
    /// The number of names that can be read in the time of one file lookup.
    private static let namesPerFile = 64
    /// The next listing reads this many times as many names.
    private static let growth = 4
    /// More names are never read, because the thread does nothing else meanwhile.
    private static let mostNamesOfAll = 1 << 17
    /// The most folders that are listed.
    private static let mostFolders = 1000

    /// The folder of the last request, most often also the folder of the next file.
    private var last: (path: String, content: Content)?
    private var known: [String: Content] = [:]

    /// Whether an earlier run may have left a part of the file.
    mutating func mayHave(_ file: TaskSpec.Destination) -> Bool {
        guard goTo(file), let last else { return true }
        switch last.content {
        case .many(let limit, let asked):
            self.last?.content =
                asked * Self.namesPerFile < Self.growth * limit || limit >= Self.mostNamesOfAll
                ? .many(limit: limit, asked: asked + 1)
                : Self.look(last.path, limit: Self.growth * limit)
            return true
        case .records(let names):
            guard !names.isEmpty else { return false }
            return PartialNames(of: file.name).map { names.contains($0.record) } ?? false
        }
    }

    /// Makes the folder of a file the last one; false when too many folders are known.
    private mutating func goTo(_ file: TaskSpec.Destination) -> Bool {
        if let last {
            if file.isIn(last.path) { return true }
            known[last.path] = last.content
        }
        last = nil
        let path = file.folder
        if let content = known[path] {
            last = (path, content)
        } else if known.count < Self.mostFolders {
            last = (path, Self.look(path, limit: Self.mostNames))
        }
        return last != nil
    }

    /// Lists the records, and removes the files that killed processes left between a temporary and
    /// a final name.
    private static func look(_ path: String, limit: Int) -> Content {
        let names = try? Folder.names(in: path, limit: limit) { name in
            name.hasByteSuffix(PartialNames.recordEnding) || TemporaryName.isWellFormed(name)
        }
        guard let names else { return .many(limit: limit, asked: 0) }
        var records = Set(names.filter { $0.hasByteSuffix(PartialNames.recordEnding) })
        guard !names.isEmpty, let folder = try? Folder(path: path, create: false) else {
            return .records(records)
        }
        for name in names { Leftovers.remove(name, in: folder) }
        for record in records {
            let name = PartialNames.name(ofRecord: record)
            if let names = PartialNames(of: name),
                PartialDownload.removeLeftover(names, of: name, in: folder)
            {
                records.remove(record)
            }
        }
        return .records(records)
    }
}

/// The part of a download that an earlier run has left, seen without touching it.
///
/// A run takes it up only if the file at the server is unchanged.
package struct LeftPart: Sendable, Hashable {
    /// The bytes that the part's record vouches for, at least 1.
    package let count: Int64
    /// The length of the whole file.
    package let total: Int64

    /// Looks beside a destination; nil when nothing is left that a run would take up.
    ///
    /// - Parameters:
    ///   - destination: A file whose name is known.
    ///   - url: The URL that the task requests.
    package init?(of destination: TaskSpec.Destination, requesting url: String) {
        guard destination.resume == .acrossRuns, !destination.isFolder,
            let names = PartialNames(of: destination.name),
            let folder = try? Folder(path: destination.folder, create: false),
            let part = try? InputFile(path: folder.path(of: names.part), followsLink: false),
            part.exposure == nil,
            let record = PartialDownload.record(names, in: folder),
            record.url.hasSameBytes(as: url), record.inode == part.identity.inode,
            record.vouchedLength > 0, part.identity.size >= record.vouchedLength,
            part.identity.size <= record.total
        else { return nil }
        count = record.vouchedLength
        total = record.total
    }
}
