import Testing
import TransferModel

@testable import Transfer

@Suite struct PartialRecordTests {
    static let record = PartialRecord(
        url: "https://example.com/ä?b=\"c\"",
        requestDigest: "00ff",
        validator: .entityTag("\"one\""),
        total: 10,
        inode: .max,
        bootIdentifier: "boot",
        checkpoint: .init(length: 5, digest: "ab")
    )

    @Test(arguments: [ResumeValidator.entityTag("\"a\""), .lastModified("yesterday")])
    func `what is written is read back`(validator: ResumeValidator) throws {
        var record = Self.record
        record.validator = validator
        #expect(PartialRecord(try #require(record.text)) == record)
    }

    @Test func `a text that is torn, changed or lengthened anywhere is not believed`() throws {
        let text = try #require(Self.record.text)
        for count in text.indices { #expect(PartialRecord(Array(text.prefix(count))) == nil) }
        for place in text.indices {
            var changed = text
            changed[place] ^= 1
            #expect(PartialRecord(changed) == nil)
        }
        #expect(PartialRecord(text + [10]) == nil)
        #expect(PartialRecord(text + text) == nil)
    }

    @Test func `the digest of a request has no field that may hold a secret`() {
        func digest(_ fields: [(String, String)]) -> String? {
            PartialRecord.digest(of: fields.map { HeaderField(name: $0.0, value: $0.1) }, nil)
        }
        #expect(digest([]) == PartialRecord.Checkpoint.start.digest)
        #expect(digest([("Authorization", "Bearer x"), ("Cookie", "a=b")]) == digest([]))
        #expect(digest([("Accept", "a")]) != digest([("Accept", "b")]))
        #expect(
            digest([("Accept", "a"), ("accept-language", "de")])
                == digest([("Accept-Language", "de"), ("ACCEPT", "a")])
        )
    }

    @Test func `another checksum makes another request`() {
        let digests = [UInt8(1), 2].map { byte in
            PartialRecord.digest(
                of: [],
                .digest(Checksum(.sha256, digest: Array(repeating: byte, count: 32)))
            )
        }
        #expect(Set(digests + [PartialRecord.digest(of: [], nil)]).count == 3)
    }
}
