internal import SystemKit

/// One of the parts of a job that several runs share: `I/N`, counted from 1.
///
/// Tasks go to shards by a hash of their ids, so that every machine and every release shares a job
/// alike.
package struct Shard: Sendable, Hashable {
    /// The most shards of a job.
    package static let mostShards = 10_000

    /// From 1 to `count`.
    package let index: Int
    /// The number of shards, 1 to `mostShards`.
    package let count: Int

    /// Why there is no such shard.
    package struct Fault: Error, Hashable {
        /// The fault with its advice, as a clause.
        package var message: String
    }

    /// Creates a shard.
    ///
    /// - Throws: `Fault` for numbers outside of their ranges.
    package init(_ index: Int, of count: Int) throws(Fault) {
        guard (1...Self.mostShards).contains(count) else {
            throw Fault(message: "a job has 1 to \(Self.mostShards) shards, not \(count)")
        }
        guard (1...count).contains(index) else {
            throw Fault(
                message: "there is no shard \(index) of \(count): the first is 1, the last \(count)"
            )
        }
        (self.index, self.count) = (index, count)
    }

    /// Reads `I/N`, such as `7/100`.
    ///
    /// - Throws: `Fault` for another text, and for numbers outside of their ranges.
    package init(_ text: String) throws(Fault) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Self.number(Substring($0)) }
        guard parts.count == 2, numbers.count == 2 else {
            let shown = text.onOneLine(limit: 40).text
            throw Fault(message: "`\(shown)` is no shard: write I/N, such as 7/100")
        }
        try self.init(numbers[0], of: numbers[1])
    }

    /// Reads a number that consists of decimal digits only.
    package static func number(_ text: some StringProtocol) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return text.utf8.allSatisfy(digits.contains) ? Int(text) : nil
    }

    /// The shard as on the command line, such as `7/100`.
    package var text: String { "\(index)/\(count)" }

    /// The end of the name of each file that belongs to this shard alone, such as `-7of100`.
    package var fileSuffix: String { "-\(index)of\(count)" }

    /// The path of this shard's own file in place of a file of the job: `out/report.json` becomes
    /// `out/report-7of100.json`.
    package func path(of path: String) -> String {
        let isCompressed = path.hasByteSuffix(".gz")
        let plain = isCompressed ? path.dropLast(3) : path[...]
        let folder = plain.lastByteIndex(of: "/") ?? plain.startIndex
        let dot = plain.lastByteIndex(of: ".") ?? plain.endIndex
        // The dot of a hidden file begins its name.
        let isExtension = dot > folder && plain[folder..<dot] != "/"
        let end = isExtension ? dot : plain.endIndex
        return plain[..<end] + fileSuffix + path[end...]
    }

    /// The shard in whose `fileSuffix` a name ends; nil for another name.
    package init?(endOf name: String) {
        guard let (_, end) = name.cut(atLast: "-") else { return nil }
        let parts = end.utf8.split(separator: UInt8(ascii: "o"), maxSplits: 1)
        guard parts.count == 2, parts[1].first == UInt8(ascii: "f"),
            let index = Self.number(Substring(parts[0])),
            let count = Self.number(Substring(parts[1].dropFirst())),
            let shard = try? Shard(index, of: count), shard.fileSuffix == "-\(end)"
        else { return nil }
        self = shard
    }

    /// Whether the task with an id runs in this shard.
    package func has(_ id: String) -> Bool {
        var hash = ShardHash()
        hash.append(id)
        return has(hash)
    }

    /// Whether the task whose id was hashed runs in this shard.
    package func has(_ hash: ShardHash) -> Bool { hash.index(of: count) == index }
}

/// The hash `shard-v1` of an id, which names the shard of its task.
///
/// It is FNV-1a with 64 bits over the UTF-8 of the id, then the last mixing step of MurmurHash3,
/// because the low bits of FNV-1a alone are not even for short ids. It never changes: shards of
/// different releases would otherwise do a task twice or not at all.
package struct ShardHash: Sendable, Hashable {
    private var state = [UInt8]().span.fnv1a

    /// Creates the hash of an empty id.
    package init() {}

    /// Adds the next part of the id.
    package mutating func append(_ part: String) { append(part.utf8.span) }

    /// Adds the bytes of the next part of the id.
    package mutating func append(_ part: Span<UInt8>) { state = part.fnv1a(after: state) }

    /// All 64 bits.
    package var value: UInt64 {
        var mixed = state
        mixed = (mixed ^ mixed >> 33) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return mixed ^ mixed >> 33
    }

    /// The number of the shard of so many, from 1.
    package func index(of count: Int) -> Int { Int(value % UInt64(count)) + 1 }
}
