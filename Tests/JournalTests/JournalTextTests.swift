import Testing

@testable import Journal

@Suite struct JournalTextTests {
    private static let entries: [JournalText.Entry] = [
        .init(kind: 1, content: Array("first".utf8)), .init(kind: 200, content: []),
        .init(kind: 2, content: [UInt8](repeating: 0xFF, count: 300)),
    ]

    private static let bytes = JournalText.header + entries.flatMap(JournalText.bytes)

    @Test func `entries are read as they were added, kinds that nobody knows too`() throws {
        let text = try JournalText(Self.bytes)
        #expect(text.entries == Self.entries)
        #expect(try JournalText(JournalText.header).entries.isEmpty)
    }

    @Test func `cut anywhere it has the entries before the cut`() throws {
        let ends = Self.entries.reduce(into: [JournalText.header.count]) { ends, entry in
            ends.append((ends.last ?? 0) + JournalText.bytes(of: entry).count)
        }
        for length in JournalText.header.count..<Self.bytes.count {
            let text = try JournalText(Array(Self.bytes.prefix(length)))
            let whole = ends.dropFirst().count { $0 <= length }
            #expect(text.entries == Array(Self.entries.prefix(whole)), "\(length)")
        }
    }

    @Test func `a flipped bit is found, and only in the last entry taken for a cut`() throws {
        let last = Self.bytes.count - JournalText.bytes(of: Self.entries[2]).count
        for position in JournalText.header.count..<Self.bytes.count {
            for bit in 0..<8 {
                var bytes = Self.bytes
                bytes[position] ^= 1 << UInt8(bit)
                if position < last {
                    #expect(throws: JournalText.Fault.damaged, "\(position)") {
                        try JournalText(bytes)
                    }
                } else {
                    #expect(try JournalText(bytes).entries == Array(Self.entries.prefix(2)))
                }
            }
        }
    }

    @Test func `what stands behind a block that was never written was not on the disk`() throws {
        let first = JournalText.header + JournalText.bytes(of: Self.entries[0])
        let torn = first + [9, 0, 0] + [UInt8](repeating: 0, count: 4096)
        let text = try JournalText(torn + JournalText.bytes(of: Self.entries[2]))
        #expect(text.entries == [Self.entries[0]])
    }

    @Test func `another file is no journal, and a later version is not guessed at`() {
        #expect(throws: JournalText.Fault.notAJournal) {
            try JournalText(Array("{ \"a\": 1 }".utf8))
        }
        for length in 0..<JournalText.header.count {
            #expect(throws: JournalText.Fault.notAJournal, "\(length)") {
                try JournalText(Array(Self.bytes.prefix(length)))
            }
        }
        var later = Self.bytes
        later[JournalText.header.count - 1] = JournalText.version + 1
        #expect(throws: JournalText.Fault.newer) { try JournalText(later) }
    }

    @Test func `a length that no file can have ends it`() throws {
        let bytes = JournalText.header + [0xFF, 0xFF, 0xFF, 0xFF, 1]
        #expect(try JournalText(bytes).entries.isEmpty)
    }

    /// Each of its words could be the length of an entry, and all of those would be looked at.
    @Test func `a large file that is damaged is found to be so before long`() {
        let words = (0..<1 << 20).flatMap { _ in UInt32(0xFFFF).littleEndianBytes }
        #expect(throws: JournalText.Fault.damaged) {
            try JournalText(JournalText.header + words)
        }
    }
}
