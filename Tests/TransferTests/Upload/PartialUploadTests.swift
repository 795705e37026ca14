import Testing
import TransferModel

@testable import Transfer

@Suite struct PartialUploadTests {
    private func partial(url: String = "https://a.test/u/1") throws -> PartialUpload {
        PartialUpload(
            url: try TransferURL(url),
            version: .v5,
            digest: "0123",
            salt: "4567",
            isRepeatable: true,
            boundary: "runner-1",
            total: 1000,
            confirmed: 400,
            mayBeComplete: false,
            lateStatus: 503,
            longestPart: 100,
            creationDate: Timestamp(microseconds: 1_000_000)
        )
    }

    @Test func `a record has everything that the next run needs`() throws {
        let text = try #require(try partial().text)
        let value = try #require(SealedLine.value(in: text))
        let read = try #require(PartialUpload(value))
        #expect(read.url.text == "https://a.test/u/1")
        #expect(read.version == .v5)
        #expect(read.digest == "0123")
        #expect(read.salt == "4567")
        #expect(read.isRepeatable)
        #expect(read.boundary == "runner-1")
        #expect(read.total == 1000)
        #expect(read.confirmed == 400)
        #expect(read.lateStatus == 503)
        #expect(read.longestPart == 100)
        #expect(read.creationDate == Timestamp(microseconds: 1_000_000))
        // How much its run had sent in the end is not known.
        #expect(read.mayBeComplete)
        #expect(read.isKept)
        #expect(read.text == text)
    }

    @Test(
        arguments: [
            (#""formatVersion":1"#, #""formatVersion":2"#), (#""version":5"#, #""version":4"#),
            ("https:", "ftp:"), (#""confirmed":400"#, #""confirmed":1001"#),
            (#""confirmed":400"#, #""confirmed":-1"#), (#""total":1000"#, #""total":0"#),
            (#""digest":"0123","#, ""), (#""created":1000000"#, #""created":"now""#),
        ]
    )
    func `a record of something else is not used`(part: String, other: String) throws {
        let text = try #require(try partial().text)
        let line = String(decoding: text.prefix { $0 != 10 }, as: UTF8.self)
        let changed = line.replacing(part, with: other)
        #expect(changed != line)
        let sealed = try #require(SealedLine.text(of: Array(changed.utf8)))
        #expect(SealedLine.value(in: sealed).flatMap { PartialUpload($0) } == nil)
        #expect(SealedLine.value(in: Array(changed.utf8) + text.drop { $0 != 10 }) == nil)
    }
}
