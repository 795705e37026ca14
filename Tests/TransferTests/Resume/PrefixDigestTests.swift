import CurlKit
import SystemKit
import TestSupport
import Testing

@testable import Transfer

/// The digests of a part with bytes behind a gap.
@Suite struct PrefixDigestTests {
    private static let range: Range<Int64> = 100_000..<150_000

    private let folder: TemporaryFolder
    private let file: OutputFile

    init() throws {
        folder = try TemporaryFolder()
        file = try OutputFile(in: Folder(path: folder.path, create: false), name: "out")
    }

    private static func content(_ seed: Int) -> [UInt8] {
        (0..<range.count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) }
    }

    /// The piece of an earlier run at `range`.
    private func piece(_ content: [UInt8]) throws -> PartialRecord.Piece {
        let digest = try #require(MessageDigest.sha256(of: content))
        return PartialRecord.Piece(range: Self.range, digest: digest)
    }

    @Test func `a piece whose last bytes come later is compared as a whole`() throws {
        let content = Self.content(1)
        var prefix = PrefixDigest(behind: [], pieces: [try piece(content)])
        try file.write(content.span.extracting(0..<20_000), at: 100_000)
        try prefix.compare(file)
        let early = prefix.firstUnproven
        try file.write(content.span.extracting(20_000..<50_000), at: 120_000)
        try prefix.compare(file)
        let (isCorrupt, unproven) = (prefix.isCorrupt, prefix.firstUnproven)
        #expect(early == 100_000 && !isCorrupt && unproven == nil)
    }

    @Test func `each comparison reads some bytes, however little time there is`() throws {
        let content = Self.content(1)
        var prefix = PrefixDigest(behind: [], pieces: [try piece(content)])
        try file.write(content.span, at: 100_000)
        try prefix.compare(file, while: { false })
        let unproven = prefix.firstUnproven
        #expect(unproven == nil)
    }

    @Test func `pieces are forgotten each time they are dropped`() throws {
        var prefix = PrefixDigest(behind: [])
        for drops in 1...3 {
            let content = Self.content(drops)
            try file.write(content.span, at: 100_000)
            prefix.forgetPieces(dropped: drops)
            let pieces = try prefix.pieces([Self.range], of: file)
            let expected = try piece(content)
            #expect(pieces == [expected])
        }
    }
}
