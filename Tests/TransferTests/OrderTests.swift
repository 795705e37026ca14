import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct OrderTests {
    private let seed = [UInt8](repeating: 7, count: 32)

    private func spec(
        id: String = "a",
        method: String = "POST",
        url: String = "http://a.test/orders?x=1",
        body: BodySource? = .bytes(Array("{}".utf8))
    ) throws -> TaskSpec {
        TaskSpec(
            id: id,
            index: 0,
            kind: .upload,
            session: 0,
            request: RequestSpec(method: method, url: try TransferURL(url)),
            body: body,
            wantsKey: true,
            source: SourceLocation(file: "job.yaml", line: 1, column: 1)
        )
    }

    private func key(_ spec: TaskSpec) throws -> String {
        try Order(spec).key(from: seed)
    }

    @Test func `an order has one key for each seed`() throws {
        let order = try spec()
        #expect(try key(order) == key(spec()))
        #expect(try Order(order).mark == Order(spec()).mark)
        #expect(try Order(order).key(from: [UInt8](repeating: 8, count: 32)) != key(order))
    }

    @Test func `id, method, URL and body identify an order`() throws {
        let part = { (text: String) in
            BodyPart(name: "n", content: .bytes(Array(text.utf8)))
        }
        let orders = [
            try spec(), try spec(id: "b"), try spec(method: "PATCH"),
            try spec(url: "http://a.test/orders?x=2"), try spec(url: "http://b.test/orders?x=1"),
            try spec(body: nil), try spec(body: .bytes([1])),
            try spec(body: .compressed(#require(Gzip.compress([1])), originalCount: 1)),
            try spec(body: .multipart([part("ab"), part("c")])),
            try spec(body: .multipart([part("a"), part("bc")])),
        ]
        #expect(Set(try orders.map(key)).count == orders.count)
        #expect(Set(try orders.map { try Order($0).mark }).count == orders.count)
    }

    @Test func `an order with a compressed body is identified by the plain bytes`() throws {
        let plain = [UInt8](repeating: 7, count: 100_000) + Array("the end".utf8)
        let compressed = try #require(Gzip.compress(plain))
        // As another zlib might: with a time in its header.
        var dated = compressed
        dated[4] = 1
        let keys = try [compressed, dated].map {
            try key(spec(body: .compressed($0, originalCount: plain.count)))
        }
        #expect(Set(keys).count == 1)
        let other = try #require(Gzip.compress(plain.dropLast() + [0]))
        #expect(try key(spec(body: .compressed(other, originalCount: plain.count))) != keys[0])
        #expect(try key(spec(body: .bytes(plain))) != keys[0])
    }

    @Test func `files count with their content, large ones with their size and time`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("one", to: "file")
        let first = try key(spec(body: .file(path: path)))
        try folder.write("one", to: "file")
        #expect(try key(spec(body: .file(path: path))) == first)
        try folder.write("two", to: "file")
        #expect(try key(spec(body: .file(path: path))) != first)
        let part = BodyPart(name: "n", content: .file(path: path))
        #expect(try key(spec(body: .multipart([part]))) != first)

        let size = Int(Order.largestReadFile) + 1
        try folder.write([UInt8](repeating: 0, count: size), to: "file")
        let large = try key(spec(body: .file(path: path)))
        #expect(try key(spec(body: .file(path: path))) == large)
        try folder.write([UInt8](repeating: 0, count: size + 1), to: "file")
        #expect(try key(spec(body: .file(path: path))) != large)
    }

    @Test func `a missing file is a failure of its own`() throws {
        let order = try spec(body: .file(path: "/nowhere/file"))
        let failure = try #require(throws: TransferFailure.self) { try key(order) }
        #expect(failure.kind == .localIO)
        #expect(failure.phase == .prepare)
    }

    @Test func `an order's files must be unchanged when it is sent`() throws {
        let folder = try TemporaryFolder()
        let one = try folder.write("one", to: "one")
        let two = try folder.write("two", to: "two")
        #expect(try Order(spec()).files.isEmpty)
        let parts = [one, two].map { BodyPart(name: "n", content: .file(path: $0)) }
        let files = try Order(spec(body: .multipart(parts))).files
        let segments: [SegmentedBody.Segment] = [
            .bytes([1]), .file(path: one), .bytes([2]), .file(path: two),
        ]
        #expect(try SegmentedBody(segments, files: files).size == 8)
        try folder.write("three", to: "two")
        let error = try #require(throws: SystemError.self) {
            try SegmentedBody(segments, files: files)
        }
        #expect(
            error.message.contains("two: the file has changed since its idempotency key was made")
        )
        #expect(try SegmentedBody(segments).size == 10)
    }

    @Test func `redacted text makes no other order`() throws {
        let hide = { (bytes: [UInt8]) in
            Array(String(decoding: bytes, as: UTF8.self).filter { !$0.isNumber }.utf8)
        }
        for (one, other) in [
            (try spec(url: "http://a.test/1"), try spec(url: "http://a.test/2")),
            (try spec(body: .bytes([0x31])), try spec(body: .bytes([0x32]))),
        ] {
            #expect(try Order(one).mark != Order(other).mark)
            #expect(try Order(one, redact: hide).mark == Order(other, redact: hide).mark)
        }
    }

    @Test func `a download task has its destination as sink`() throws {
        func download(_ path: String, as name: String? = nil) throws -> TaskSpec {
            TaskSpec(
                id: "a",
                index: 0,
                kind: .download,
                session: 0,
                request: RequestSpec(method: "GET", url: try TransferURL("http://a.test/")),
                destination: .init(path: path, displayPath: name ?? path),
                source: SourceLocation(file: "job.yaml", line: 1, column: 1)
            )
        }
        let (here, moved) = (try download("/r1/a", as: "a"), try download("/r2/a", as: "a"))
        #expect(try Order(here).mark == Order(moved).mark)
        #expect(
            try Order(here, isBoundToPath: true).mark != Order(moved, isBoundToPath: true).mark
        )
        #expect(try Order(download("/a")).mark == Order(download("/a")).mark)
        #expect(try Order(download("/a")).mark != Order(download("/b")).mark)
    }
}
