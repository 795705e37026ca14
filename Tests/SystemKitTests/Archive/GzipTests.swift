import SystemKit
import TestSupport
import Testing

@Suite struct GzipTests {
    @Test(arguments: [0, 1, 100, 3_000_000])
    func `compressed bytes inflate to themselves`(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let compressed = try #require(Gzip.compress(bytes))
        let folder = try TemporaryFolder()
        try folder.write(compressed, to: "in.gz")
        try folder.write(bytes, to: "expected")
        let comparison = "gzip -dc in.gz | cmp - expected"
        let outcome = try Command("sh", ["-c", comparison], workingFolder: folder.path).run()
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
    }

    @Test func `equal bytes become equal bytes, without a name and a time`() throws {
        let compressed = try #require(Gzip.compress(Array("hello".utf8)))
        #expect(Gzip.compress(Array("hello".utf8)) == compressed)
        // RFC 1952 §2.3: flags and MTIME.
        #expect(compressed[3...7] == [0, 0, 0, 0, 0])
    }
}
