import SystemKit
import TestSupport
import Testing

/// Streams are compressed and expanded in pieces of any size.
@Suite struct GzipStreamTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 5) }
    }

    private static func compressed(_ bytes: [UInt8], pieces size: Int) throws -> [UInt8] {
        let compressor = try #require(GzipCompressor())
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(bytes.count, start + size)])
            compressor.compress(piece.span) { result.append($0) }
        }
        compressor.compress([UInt8]().span, isLast: true) { result.append($0) }
        return result
    }

    private static func expanded(_ bytes: [UInt8], pieces size: Int) throws -> (
        bytes: [UInt8], isComplete: Bool
    ) {
        let expander = try #require(GzipExpander())
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(bytes.count, start + size)])
            try expander.expand(piece.span) { result.append($0) }
        }
        return (result, expander.isComplete)
    }

    @Test(arguments: [(0, 10), (1, 1), (5000, 7), (700_000, 65_536), (700_000, 700_000)])
    func `a stream expands to its bytes`(count: Int, piece: Int) throws {
        let bytes = Self.bytes(count)
        let compressed = try Self.compressed(bytes, pieces: piece)
        let isGzip = GzipExpander.isGzip(compressed.span)
        #expect(isGzip)
        for size in [piece, 1_000_000] {
            let (result, isComplete) = try Self.expanded(compressed, pieces: size)
            #expect(result == bytes && isComplete)
        }
    }

    @Test func `gzip expands a compressed stream`() throws {
        let bytes = Self.bytes(300_000)
        let folder = try TemporaryFolder()
        try folder.write(try Self.compressed(bytes, pieces: 1000), to: "in.gz")
        try folder.write(bytes, to: "expected")
        let comparison = "gzip -dc in.gz | cmp - expected"
        let outcome = try Command("sh", ["-c", comparison], workingFolder: folder.path).run()
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
    }

    @Test func `members that follow each other are one stream`() throws {
        let first = try Self.compressed(Self.bytes(1000), pieces: 100)
        let (result, isComplete) = try Self.expanded(first + first, pieces: 64)
        #expect(result == Self.bytes(1000) + Self.bytes(1000) && isComplete)
    }

    @Test func `a cut stream is incomplete, and a damaged one is refused`() throws {
        let bytes = Self.bytes(100_000)
        var stream = try Self.compressed(bytes, pieces: 1000)
        #expect(try !Self.expanded(stream.dropLast(), pieces: 1000).isComplete)
        // The checksum of RFC 1952 §2.3.1.
        stream[stream.count - 5] ^= 1
        #expect(throws: GzipExpander.Corruption.self) {
            try Self.expanded(stream, pieces: 1000)
        }
    }
}
