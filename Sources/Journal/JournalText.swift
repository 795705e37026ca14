/// What is in a journal's file: a header and entries, each with its length and its checksum.
///
/// The header is `runner journal` and the version, a byte. An entry is the length of its content, four bytes; its kind,
/// one byte; the content; and the CRC-32 of all that, four bytes. Entries are only ever added, so that one that a loss
/// of power has cut is the last one that counts, and is passed over. What stands behind it was not on the disk before: a block
/// that was never written, all zeros, comes first. Behind anything else it says that the file is damaged. Kinds that a later version
/// has added are passed over by their length.
struct JournalText: Equatable {
    struct Entry: Equatable {
        /// What the content is; its meaning never changes.
        var kind: UInt8
        var content: [UInt8]
    }

    /// Why a file is not believed.
    enum Fault: Error, Equatable {
        /// It begins as no journal does.
        case notAJournal
        /// A later version of this program has written it.
        case newer
        /// Something in the middle of it is not as it was written.
        case damaged
    }

    static let version: UInt8 = 1
    static let header = Array("runner journal".utf8) + [version]
    /// Longer ones are none of ours, bytes.
    static let longestContent = 1 << 28

    private(set) var entries: [Entry] = []

    /// The least that a disk writes or leaves out, bytes.
    private static let block = 512

    /// Reads a file up to its end, or to the entry that was being added when it was cut.
    init(_ bytes: [UInt8]) throws(Fault) {
        let name = Self.header.dropLast()
        guard bytes.starts(with: name), bytes.count > name.count else { throw .notAJournal }
        guard bytes[name.count] <= Self.version else { throw .newer }
        var rest = bytes.dropFirst(Self.header.count)
        while let entry = Self.takeEntry(from: &rest) { entries.append(entry) }
        if Self.hasEntry(behind: rest) { throw .damaged }
    }

    /// Whether an entry that was written down stands behind one that is not whole, as far as that can be told in a time
    /// that grows with the file alone.
    private static func hasEntry(behind torn: ArraySlice<UInt8>) -> Bool {
        var zeros = 0
        // An entry that was cut has few places that look like the beginning of one.
        var budget = 16 * torn.count + (1 << 20)
        for start in torn.indices {
            zeros = torn[start] == 0 ? zeros + 1 : 0
            if zeros == 2 * block { return false }
            var rest = torn[start...]
            guard start > torn.startIndex, let count = entryCount(at: rest) else { continue }
            budget -= count
            if budget < 0 || takeEntry(from: &rest) != nil { return true }
        }
        return false
    }

    /// The bytes of the entry that may stand there, its checksum apart; nil when there is no room for one.
    private static func entryCount(at rest: ArraySlice<UInt8>) -> Int? {
        var next = rest
        guard let length = UInt32(takenFrom: &next), length <= longestContent,
            next.count >= Int(length) + 5
        else { return nil }
        return 5 + Int(length)
    }

    /// Takes the first entry off `rest`, which stays as it is when that is not whole.
    private static func takeEntry(from rest: inout ArraySlice<UInt8>) -> Entry? {
        guard let count = entryCount(at: rest) else { return nil }
        let checked = rest.prefix(count)
        var next = rest.dropFirst(count)
        guard UInt32(takenFrom: &next) == CRC32.checksum(of: checked) else { return nil }
        let content = checked.dropFirst(4)
        rest = next
        return content.first.map { Entry(kind: $0, content: Array(content.dropFirst())) }
    }

    /// An entry as it stands in a file.
    static func bytes(of entry: Entry) -> [UInt8] {
        let content = UInt32(entry.content.count).littleEndianBytes + [entry.kind] + entry.content
        return content + CRC32.checksum(of: content).littleEndianBytes
    }
}
