import CurlKit
import Testing
import TransferModel

@testable import Transfer

@Suite struct PartialRecordTests {
    static let record = {
        var record = unwritten
        record.checkpoints = [.init(length: 3, digest: "aa"), .init(length: 5, digest: "ab")]
        record.synced = .init(length: 4, digest: "ac")
        return record
    }()

    private static let unwritten = PartialRecord(
        url: "https://example.com/ä?b=\"c\"",
        salt: "aa",
        requestDigest: "00ff",
        sourceDigest: "ff00",
        validator: .entityTag("\"one\""),
        total: 10,
        inode: .max,
        tenure: "boot 1:2"
    )

    private static func read(_ text: [UInt8]) -> PartialRecord? {
        SealedLine.value(in: text).flatMap { PartialRecord($0) }
    }

    @Test(arguments: [ResumeValidator.entityTag("\"a\""), .lastModified("yesterday")])
    func `written values are read back`(validator: ResumeValidator) throws {
        var record = Self.record
        record.validator = validator
        #expect(Self.read(try #require(record.text)) == record)
        for algorithm in Checksum.Algorithm.allCases {
            let digest = (0..<algorithm.size).map { UInt8($0) }
            record.announced = Checksum(algorithm, digest: digest)
            #expect(Self.read(try #require(record.text)) == record)
        }
    }

    @Test func `a text that is torn, changed or lengthened anywhere is not used`() throws {
        let text = try #require(Self.record.text)
        for count in text.indices { #expect(Self.read(Array(text.prefix(count))) == nil) }
        for place in text.indices {
            var changed = text
            changed[place] ^= 1
            #expect(Self.read(changed) == nil)
        }
        #expect(Self.read(text + [10]) == nil)
        #expect(Self.read(text + text) == nil)
    }

    @Test func `of several texts the last one counts before the first that is torn`() throws {
        var later = Self.record
        later.checkpoints.append(.init(length: 9, digest: "ad"))
        let text = try #require(Self.record.text)
        let added = try #require(later.text)
        let read = { (texts: [UInt8]) in
            SealedLine.lastValue(in: texts).flatMap { PartialRecord($0.value) }
        }
        for count in added.indices {
            let torn = text + added.prefix(count)
            #expect(read(torn) == Self.record)
            #expect(read(torn + [UInt8](repeating: 0, count: added.count - count)) == Self.record)
            #expect(SealedLine.lastValue(in: torn)?.end == text.count)
        }
        #expect(read(text + added) == later)
        #expect(SealedLine.lastValue(in: text + added)?.end == text.count + added.count)
        #expect(read(Array(text.dropFirst()) + added) == nil)
        #expect(read([]) == nil)
    }

    @Test func `a whole text of another version is recognized`() throws {
        let line = Array("{\"formatVersion\":1}".utf8)
        let seal = try #require(MessageDigest.sha256(of: line))
        let text = line + Array("\n\"\(seal)\"\n".utf8)
        let value = try #require(SealedLine.value(in: text))
        #expect(PartialRecord(value) == nil)
    }

    /// The synced length of the partial file, and the lengths that count after a restart of the
    /// machine.
    @Test(
        arguments: [
            (nil, []), (2, [2]), (3, [3]), (4, [3, 4]), (5, [3, 5]),
        ] as [(Int64?, [Int64])]
    )
    func `unsynced bytes count until the machine restarts`(
        synced: Int64?,
        counted: [Int64]
    ) {
        var record = Self.record
        let whole = record.checkpoints
        record.synced = synced.map { length in
            whole.first { $0.length == length } ?? .init(length: length, digest: "ac")
        }
        #expect(record.vouched(isRestarted: false).map(\.length) == [3, 5])
        #expect(record.vouched(isRestarted: true).map(\.length) == counted)
    }

    @Test(arguments: [[5, 3], [3, 3], [0], [11]] as [[Int64]])
    func `ranges that do not follow each other are not used`(ends: [Int64]) throws {
        var record = Self.record
        record.checkpoints = ends.map { .init(length: $0, digest: "aa") }
        #expect(Self.read(try #require(record.text)) == nil)
    }

    private static func record(pieces: [Range<Int64>]) -> PartialRecord {
        var record = record
        record.pieces = pieces.map { .init(range: $0, digest: "ba") }
        return record
    }

    @Test func `pieces behind gaps are read back`() throws {
        let record = Self.record(pieces: [6..<7, 8..<10])
        #expect(Self.read(try #require(record.text)) == record)
    }

    @Test(arguments: [[6..<8, 7..<9], [8..<9, 6..<7], [6..<11], [-1..<2]] as [[Range<Int64>]])
    func `pieces that are not in order are not used`(pieces: [Range<Int64>]) throws {
        #expect(Self.read(try #require(Self.record(pieces: pieces).text)) == nil)
    }

    @Test func `pieces count for the kernel that took them, and as far as the file goes`() {
        var record = Self.record(pieces: [6..<7, 8..<10])
        record.settle(isRestarted: false, size: 9)
        #expect(record.pieces.map(\.range) == [6..<7] && record.vouchedLength == 5)
        record.settle(isRestarted: true, size: 10)
        #expect(record.pieces.isEmpty && record.vouchedLength == 4)
    }

    @Test func `a piece that follows the beginning belongs to it`() {
        var record = Self.record(pieces: [5..<7, 8..<10])
        record.settle(isRestarted: false, size: 10)
        #expect(record.vouchedLength == 7 && record.pieces.map(\.range) == [8..<10])
        #expect(record.checkpoints.last?.digest == "ba")
    }

    @Test func `a record keeps the largest of too many pieces`() {
        var record = Self.record
        let pieces = (0..<100).map { index in
            let start = Int64(index) * 1000 + 10
            return PartialRecord.Piece(range: start..<start + Int64(index) + 1, digest: "ba")
        }
        record.setPieces(pieces)
        #expect(record.pieces == Array(pieces.suffix(PartialRecord.mostPieces)))
    }

    @Test func `a digest reveals nothing without the salt`() {
        let salts = (0..<100).map { _ in PartialRecord.makeSalt() }
        #expect(Set(salts).count == 100)
        #expect(salts.allSatisfy { $0.utf8.count == 32 })
        #expect(PartialRecord.digest(of: "a", "1") == PartialRecord.digest(of: "a", "1"))
        #expect(PartialRecord.digest(of: "a", "1") != PartialRecord.digest(of: "a", "2"))
        #expect(PartialRecord.digest(of: "a", "1") != PartialRecord.digest(of: "b", "1"))
    }
}
