internal import SystemKit

/// The content of a journal's file: a header, two marks and entries, each with its length and
/// checksum.
///
/// The header is `runner journal` and the version, a byte. A mark is a length of the file that is
/// on the disk, eight bytes, and the CRC-32 of those, four bytes. An entry is the length of its
/// content, four bytes; its kind, one byte; the content; and the CRC-32 of all these bytes, four
/// bytes. Entries are only appended. A file that is shorter than the length in a mark, or has a
/// changed byte before it, is damaged. Bytes after that length may be incomplete, and count up to
/// the first incomplete entry. Unknown kinds of later versions are skipped.
struct JournalText: Equatable {
    struct Entry: Equatable {
        /// The kind of the content; its meaning never changes.
        var kind: UInt8
        var content: [UInt8]
    }

    /// A place with the file's length at a sync; two alternate, so that one is always intact.
    enum Mark: Int {
        case first
        case second

        static let size = 12

        var other: Mark { self == .first ? .second : .first }

        private var offset: Int { JournalText.name.count + 1 + rawValue * Self.size }

        /// The write of a mark with a length.
        func patch(length: Int64) -> AppendFile.Patch {
            AppendFile.Patch(offset: Int64(offset), bytes: Self.bytes(length: length))
        }

        fileprivate static func bytes(length: Int64) -> [UInt8] {
            let content = length.littleEndianBytes
            return content + CRC32.checksum(of: content).littleEndianBytes
        }

        /// The length in a file's mark; nil if unreadable.
        fileprivate func length(in bytes: [UInt8]) -> Int64? {
            let content = bytes.dropFirst(offset).prefix(8)
            var rest = bytes.dropFirst(offset)
            guard let length = Int64(takenFrom: &rest),
                UInt32(takenFrom: &rest) == CRC32.checksum(of: content)
            else { return nil }
            return length
        }
    }

    static let version: UInt8 = 2
    static let name = Array("runner journal".utf8)
    /// The longest content, bytes; a longer one is invalid.
    static let longestContent = 1 << 28

    private(set) var entries: [Entry] = []

    /// Reads a file to its end, or to an incomplete last entry.
    init(_ bytes: [UInt8]) throws(JournalTextFault) {
        var entries: [Entry] = []
        try Self.read(bytes) { entries.append($0) }
        self.entries = entries
    }

    /// Hands over the entries of a file one by one, those in front of damage too.
    ///
    /// - Returns: The offset after the last complete entry.
    @discardableResult
    static func read(_ bytes: [UInt8], each: (Entry) -> Void) throws(JournalTextFault) -> Int {
        guard bytes.starts(with: name), bytes.count > name.count else {
            throw .notAJournal
        }
        var rest = bytes.dropFirst(name.count + 1)
        let durableEnd: Int64
        switch bytes[name.count] {
        // Version 1 has no marks: the whole file must be intact.
        case 1: durableEnd = Int64(bytes.count)
        case version:
            let marks = [Mark.first, .second].compactMap { $0.length(in: bytes) }
            guard let last = marks.max() else { throw .damaged }
            durableEnd = last
            rest = rest.dropFirst(2 * Mark.size)
        case 0: throw .notAJournal
        default: throw .newer
        }
        while let entry = takeEntry(from: &rest) { each(entry) }
        guard rest.startIndex >= durableEnd else { throw .damaged }
        return rest.startIndex
    }

    /// Takes the first entry off `rest`, which stays unchanged if the entry is incomplete.
    static func takeEntry(from rest: inout ArraySlice<UInt8>) -> Entry? {
        var next = rest
        guard let length = UInt32(takenFrom: &next), length <= longestContent,
            next.count >= Int(length) + 5
        else { return nil }
        let count = 5 + Int(length)
        let checked = rest.prefix(count)
        next = rest.dropFirst(count)
        guard UInt32(takenFrom: &next) == CRC32.checksum(of: checked) else { return nil }
        let content = checked.dropFirst(4)
        rest = next
        return content.first.map { Entry(kind: $0, content: Array(content.dropFirst())) }
    }

    /// The binary form of an entry.
    static func bytes(of entry: Entry) -> [UInt8] {
        let content = UInt32(entry.content.count).littleEndianBytes + [entry.kind] + entry.content
        return content + CRC32.checksum(of: content).littleEndianBytes
    }

    /// The binary form of a file whose marks cover all entries.
    static func bytes(of entries: [Entry]) -> [UInt8] {
        let content = entries.flatMap { bytes(of: $0) }
        let length = name.count + 1 + 2 * Mark.size + content.count
        let mark = Mark.bytes(length: Int64(length))
        return name + [version] + mark + mark + content
    }
}

/// Why a file is rejected.
enum JournalTextFault: Error, Equatable {
    /// The header is not that of a journal.
    case notAJournal
    /// A later version of this program wrote the file.
    case newer
    /// Bytes that were on the disk are changed or missing.
    case damaged
}

/// The checksum of a journal's entries: CRC-32 with the polynomial of IEEE 802.3 (RFC 1952 §8).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }

    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ sum >> 8 }
    }
}
