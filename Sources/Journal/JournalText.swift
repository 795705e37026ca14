internal import SystemKit

/// What is in a journal's file: a header, two marks and entries, each with its length and its
/// checksum.
///
/// The header is `runner journal` and the version, a byte. A mark is a length of the file up to
/// which it was on the disk, eight bytes, and the CRC-32 of those, four bytes. An entry is the
/// length of its content, four bytes; its kind, one byte; the content; and the CRC-32 of all that,
/// four bytes. Entries are only ever added. A file that was cut, or in which a byte has changed,
/// before the end that a mark names is damaged. What stands behind that end was being added when
/// the process or the power went, and counts up to the first entry that is not whole. Kinds that a
/// later version has added are passed over by their length.
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
        /// Something that was on the disk is not as it was written, or not there.
        case damaged
    }

    /// A place that says how long the file was when it was synchronized last; two take turns, so
    /// that one of them is whole whenever the power goes.
    enum Mark: Int {
        case first
        case second

        static let size = 12

        var other: Mark { self == .first ? .second : .first }

        private var offset: Int { JournalText.name.count + 1 + rawValue * Self.size }

        /// The mark that names a length, in its place.
        func patch(length: Int64) -> AppendFile.Patch {
            AppendFile.Patch(offset: Int64(offset), bytes: Self.bytes(length: length))
        }

        fileprivate static func bytes(length: Int64) -> [UInt8] {
            let content = length.littleEndianBytes
            return content + CRC32.checksum(of: content).littleEndianBytes
        }

        /// The length that the mark of a file names; nil when that cannot be read.
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
    /// Longer ones are none of ours, bytes.
    static let longestContent = 1 << 28

    private(set) var entries: [Entry] = []

    /// Reads a file up to its end, or to the entry that was being added when it was cut.
    init(_ bytes: [UInt8]) throws(Fault) {
        guard bytes.starts(with: Self.name), bytes.count > Self.name.count else {
            throw .notAJournal
        }
        var rest = bytes.dropFirst(Self.name.count + 1)
        let durableEnd: Int64
        switch bytes[Self.name.count] {
        // It has no marks: nothing of it may be missing.
        case 1: durableEnd = Int64(bytes.count)
        case Self.version:
            let marks = [Mark.first, .second].compactMap { $0.length(in: bytes) }
            guard let last = marks.max() else { throw .damaged }
            durableEnd = last
            rest = rest.dropFirst(2 * Mark.size)
        case 0: throw .notAJournal
        default: throw .newer
        }
        while let entry = Self.takeEntry(from: &rest) { entries.append(entry) }
        guard rest.startIndex >= durableEnd else { throw .damaged }
    }

    /// Takes the first entry off `rest`, which stays as it is when that is not whole.
    private static func takeEntry(from rest: inout ArraySlice<UInt8>) -> Entry? {
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

    /// An entry as it stands in a file.
    static func bytes(of entry: Entry) -> [UInt8] {
        let content = UInt32(entry.content.count).littleEndianBytes + [entry.kind] + entry.content
        return content + CRC32.checksum(of: content).littleEndianBytes
    }

    /// A file that has certain entries and vouches for them all.
    static func bytes(of entries: [Entry]) -> [UInt8] {
        let content = entries.flatMap { bytes(of: $0) }
        let length = name.count + 1 + 2 * Mark.size + content.count
        let mark = Mark.bytes(length: Int64(length))
        return name + [version] + mark + mark + content
    }
}
