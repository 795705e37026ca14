import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct IdempotencyKeyMakerTests {
    private let maker: IdempotencyKeyMaker

    init() throws {
        maker = try #require(IdempotencyKeyMaker(seed: [UInt8](repeating: 7, count: 32)))
    }

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
            request: RequestSpec(method: method, url: try HTTPURL(url)),
            body: body,
            wantsKey: true,
            source: SourceLocation(file: "job.yaml", line: 1, column: 1)
        )
    }

    private func key(_ spec: TaskSpec) throws -> String {
        try maker.key(of: spec) { _ in false }
    }

    @Test func `one order has one key, and another seed another one`() throws {
        let order = try spec()
        #expect(try key(order) == key(spec()))
        let other = try #require(IdempotencyKeyMaker(seed: [UInt8](repeating: 8, count: 32)))
        #expect(try other.key(of: order) { _ in false } != key(order))
    }

    @Test func `id, method, URL and body make an order what it is`() throws {
        let part = { (text: String) in
            BodyPart(name: "n", content: .bytes(Array(text.utf8)))
        }
        let orders = [
            try spec(), try spec(id: "b"), try spec(method: "PATCH"),
            try spec(url: "http://a.test/orders?x=2"), try spec(url: "http://b.test/orders?x=1"),
            try spec(body: nil), try spec(body: .bytes([1])),
            try spec(body: .compressed([1, 2], originalCount: 1)),
            try spec(body: .multipart([part("ab"), part("c")])),
            try spec(body: .multipart([part("a"), part("bc")])),
        ]
        #expect(Set(try orders.map(key)).count == orders.count)
    }

    @Test func `a spent key is passed over, always to the same next one`() throws {
        let order = try spec()
        let first = try key(order)
        let second = try maker.key(of: order) { $0 == first }
        let third = try maker.key(of: order) { $0 == first || $0 == second }
        #expect(Set([first, second, third]).count == 3)
        #expect(try maker.key(of: order) { $0 == first } == second)
    }

    @Test func `files count with what is in them, large ones with their size and time`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("one", to: "file")
        let first = try key(spec(body: .file(path: path)))
        try folder.write("one", to: "file")
        #expect(try key(spec(body: .file(path: path))) == first)
        try folder.write("two", to: "file")
        #expect(try key(spec(body: .file(path: path))) != first)
        let part = BodyPart(name: "n", content: .file(path: path))
        #expect(try key(spec(body: .multipart([part]))) != first)

        let size = Int(IdempotencyKeyMaker.largestReadFile) + 1
        try folder.write([UInt8](repeating: 0, count: size), to: "file")
        let large = try key(spec(body: .file(path: path)))
        #expect(try key(spec(body: .file(path: path))) == large)
        try folder.write([UInt8](repeating: 0, count: size + 1), to: "file")
        #expect(try key(spec(body: .file(path: path))) != large)
    }

    @Test func `a file that is not there is a failure of its own`() throws {
        let order = try spec(body: .file(path: "/nowhere/file"))
        let failure = try #require(throws: TransferFailure.self) { try key(order) }
        #expect(failure.kind == .localIO)
        #expect(failure.phase == .prepare)
    }
}
