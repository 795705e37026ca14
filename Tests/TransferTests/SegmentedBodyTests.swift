import CurlKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct SegmentedBodyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The next piece of at most `size` bytes.
    private func read(_ body: SegmentedBody, _ size: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        var span = bytes.mutableSpan
        var raw = unsafe span.mutableBytes
        guard case .bytes(let count) = try body.read(into: &raw) else { return [] }
        return Array(bytes.prefix(count))
    }

    private func readAll(_ body: SegmentedBody, _ size: Int) throws -> [UInt8] {
        var all: [UInt8] = []
        while case let piece = try read(body, size), !piece.isEmpty { all += piece }
        return all
    }

    @Test(arguments: [1, 2, 3, 7, 8, 100])
    func `pieces of any size give the segments in order, again and again`(size: Int) throws {
        let one = try folder.write("one", to: "one")
        let two = try folder.write("zwei", to: "two")
        let empty = try folder.write("", to: "empty")
        let body = try SegmentedBody([
            .bytes(Array("<".utf8)), .file(path: one), .bytes([]), .file(path: empty),
            .file(path: two), .bytes(Array(">".utf8)),
        ])
        #expect(body.size == 9)
        for _ in 0..<2 {
            #expect(String(decoding: try readAll(body, size), as: UTF8.self) == "<onezwei>")
            try body.verify()
            body.rewind()
        }
    }

    @Test func `any range of a body can be read repeatedly`() throws {
        let one = try folder.write("one", to: "one")
        let two = try folder.write("zwei", to: "two")
        let whole = "<onezwei>"
        let body = try SegmentedBody([
            .bytes(Array("<".utf8)), .file(path: one), .bytes([]), .file(path: two),
            .bytes(Array(">".utf8)),
        ])
        for start in 0...9 {
            for end in start...9 {
                body.restrict(to: Int64(start)..<Int64(end))
                #expect(body.size == Int64(end - start))
                for _ in 0..<2 {
                    let part = String(decoding: try readAll(body, 4), as: UTF8.self)
                    #expect(part == String(whole.dropFirst(start).prefix(end - start)))
                    body.rewind()
                }
            }
        }
        body.restrict(to: 5..<99)
        #expect(body.size == 4)
        #expect(body.total == 9)
    }

    @Test func `a changed file is distinguished from the old one`() throws {
        func identity() throws -> [UInt8] {
            let digest = try #require(MessageDigest())
            try SegmentedBody([
                .bytes(Array("<".utf8)), .file(path: folder.path("a")),
                .file(path: folder.path("b")),
            ]).identify(to: digest, withTimes: true)
            return digest.finish()
        }
        try folder.write("one", to: "a")
        try folder.write("two", to: "b")
        let before = try identity()
        #expect(try identity() == before)
        try folder.write("owt", to: "b")
        #expect(try identity() != before)
    }

    @Test func `nothing at all is an empty body`() throws {
        let body = SegmentedBody([])
        #expect(body.size == 0)
        #expect(try readAll(body, 10).isEmpty)
    }

    @Test func `a missing file is found before any read`() throws {
        let one = try folder.write("one", to: "one")
        #expect(throws: (any Error).self) {
            try SegmentedBody([.file(path: one), .file(path: folder.path("gone"))])
        }
    }

    @Test func `a growing file is sent up to its announced length, and then fails`() throws {
        let one = try folder.write("one", to: "one")
        let body = try SegmentedBody([.file(path: one), .bytes(Array(">".utf8))])
        try folder.write("one and more", to: "one")
        #expect(String(decoding: try readAll(body, 10), as: UTF8.self) == "one>")
        #expect(throws: TransferFailure.self) { try body.verify() }
    }

    @Test func `a file that shrinks is a failure`() throws {
        let one = try folder.write("one", to: "one")
        let body = try SegmentedBody([.file(path: one)])
        try folder.write("o", to: "one")
        let failure = #expect(throws: TransferFailure.self) { try readAll(body, 10) }
        #expect(failure?.kind == .localIO)
        #expect(failure?.isPermanent == true)
    }

    @Test func `an empty file is checked again, and named once it has content`()
        throws
    {
        let paths = try ["one", "two"].map { try folder.write("", to: $0) }
        let body = try SegmentedBody(paths.map { .file(path: $0) } + [.bytes([1])])
        #expect(try readAll(body, 3) == [1])
        try body.verify()
        try folder.write("more", to: "two")
        let failure = #expect(throws: TransferFailure.self) { try body.verify() }
        #expect(failure?.detail.contains(paths[1]) == true)
    }

    @Test(arguments: ["one", "two"])
    func `each of several files must stay what it was`(name: String) throws {
        let paths = try ["one", "two"].map { try folder.write("12345", to: $0) }
        let body = try SegmentedBody(paths.map { .file(path: $0) })
        #expect(try read(body, 3).count == 3)
        try folder.write("123456", to: name)
        #expect(throws: TransferFailure.self) {
            _ = try readAll(body, 3)
            try body.verify()
        }
    }
}
