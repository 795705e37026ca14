import SystemKit
import Testing

@testable import Journal

@Suite struct JournalTextTests {
    private static let entries: [JournalText.Entry] = [
        .init(kind: 1, content: Array("first".utf8)), .init(kind: 200, content: []),
        .init(kind: 2, content: [UInt8](repeating: 0xFF, count: 300)),
    ]

    /// A file that vouches for the first of its entries alone.
    private static let bytes =
        JournalText.bytes(of: Array(entries.prefix(1)))
        + entries.dropFirst().flatMap { JournalText.bytes(of: $0) }

    /// Where the first entry begins.
    private static let start = JournalText.name.count + 1 + 2 * JournalText.Mark.size

    /// Where the entries end.
    private static let ends = entries.reduce(into: [start]) { ends, entry in
        ends.append((ends.last ?? 0) + JournalText.bytes(of: entry).count)
    }

    /// The file with a mark that names a length.
    private func marked(_ mark: JournalText.Mark, _ length: Int) -> [UInt8] {
        let patch = mark.patch(length: Int64(length))
        var bytes = Self.bytes
        bytes.replaceSubrange(Int(patch.offset)..<Int(patch.offset) + 12, with: patch.bytes)
        return bytes
    }

    @Test func `entries are read as they were added, unknown kinds too`() throws {
        #expect(try JournalText(Self.bytes).entries == Self.entries)
        #expect(try JournalText(JournalText.bytes(of: Self.entries)).entries == Self.entries)
        #expect(try JournalText(JournalText.bytes(of: [])).entries.isEmpty)
    }

    @Test func `cut behind its marks it has the entries before the cut`() throws {
        for length in Self.ends[1]...Self.bytes.count {
            let text = try JournalText(Array(Self.bytes.prefix(length)))
            let whole = Self.ends.dropFirst().count { $0 <= length }
            #expect(text.entries == Array(Self.entries.prefix(whole)), "\(length)")
        }
    }

    @Test(arguments: [JournalText.Mark.first, .second])
    func `cut anywhere before the end that a mark names it is damaged`(mark: JournalText.Mark) {
        let bytes = marked(mark, Self.ends[2])
        for length in Self.start..<Self.ends[2] {
            #expect(throws: JournalTextFault.damaged, "\(length)") {
                try JournalText(Array(bytes.prefix(length)))
            }
        }
        #expect(throws: Never.self) { try JournalText(Array(bytes.prefix(Self.ends[2]))) }
    }

    @Test func `a flipped bit is damage, and a cut only behind the marks`() throws {
        let bytes = marked(.first, Self.ends[2])
        for position in Self.start..<bytes.count {
            for bit in 0..<8 {
                var bytes = bytes
                bytes[position] ^= 1 << UInt8(bit)
                if position < Self.ends[2] {
                    #expect(throws: JournalTextFault.damaged, "\(position)") {
                        try JournalText(bytes)
                    }
                } else {
                    #expect(try JournalText(bytes).entries == Array(Self.entries.prefix(2)))
                }
            }
        }
    }

    @Test func `a flipped bit of a mark leaves the other one, and one of each leaves nothing`()
        throws
    {
        for position in Self.start - 24..<Self.start - 12 {
            for bit in 0..<8 {
                var bytes = Self.bytes
                bytes[position] ^= 1 << UInt8(bit)
                #expect(try JournalText(bytes).entries == Self.entries)
                bytes[position + 12] ^= 1
                #expect(throws: JournalTextFault.damaged) { try JournalText(bytes) }
            }
        }
    }

    @Test func `entries after an incomplete one are ignored`() throws {
        let torn = JournalText.bytes(of: Array(Self.entries.prefix(1))) + [9, 0, 0]
        let text = try JournalText(torn + JournalText.bytes(of: Self.entries[2]))
        #expect(text.entries == [Self.entries[0]])
    }

    @Test func `another file is no journal, and a later version is not guessed at`() {
        #expect(throws: JournalTextFault.notAJournal) {
            try JournalText(Array("{ \"a\": 1 }".utf8))
        }
        for length in 0...JournalText.name.count {
            #expect(throws: JournalTextFault.notAJournal, "\(length)") {
                try JournalText(Array(Self.bytes.prefix(length)))
            }
        }
        var other = Self.bytes
        for bit in 0..<8 {
            other[JournalText.name.count] = JournalText.version ^ 1 << UInt8(bit)
            #expect(throws: JournalTextFault.self, "\(bit)") { try JournalText(other) }
        }
        other[JournalText.name.count] = JournalText.version + 1
        #expect(throws: JournalTextFault.newer) { try JournalText(other) }
        other[JournalText.name.count] = 1
        #expect(throws: JournalTextFault.damaged) { try JournalText(other) }
    }

    @Test func `a journal of the first version is used if all of it is whole`() throws {
        let entries = Self.entries.flatMap { JournalText.bytes(of: $0) }
        let bytes = JournalText.name + [1] + entries
        #expect(try JournalText(bytes).entries == Self.entries)
        #expect(throws: JournalTextFault.damaged) { try JournalText(bytes.dropLast()) }
    }

    @Test func `a length that no file can have ends it`() throws {
        let bytes = JournalText.bytes(of: []) + [0xFF, 0xFF, 0xFF, 0xFF, 1]
        #expect(try JournalText(bytes).entries.isEmpty)
    }
}
