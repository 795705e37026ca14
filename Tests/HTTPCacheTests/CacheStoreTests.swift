import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import HTTPCache

/// Rules for both stores.
@Suite struct CacheStoreTests {
    enum Kind: CaseIterable { case memory, disk }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ kind: Kind, capacity: Int64 = 1 << 20) -> any CacheStore {
        switch kind {
        case .memory: MemoryStore(capacity: capacity)
        case .disk: DiskStore(directory: folder.path("cache"), capacity: capacity)
        }
    }

    private func key(_ path: String = "x") throws -> CacheKey {
        try #require(CacheKey(try TransferURL("http://a.example/\(path)"), fingerprint))
    }

    private func content(_ store: any CacheStore, _ stored: StoredResponse) throws -> String {
        let body = try #require(store.open(stored.body))
        var bytes: [UInt8] = []
        _ = try body.forEachPiece(count: stored.body.length) { piece in
            bytes.append(piece)
            return true
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Stores a body under a key with a selection.
    @discardableResult
    private func add(_ store: any CacheStore, _ body: String, _ path: String = "x", by: String = "")
        throws -> Bool
    {
        var draft = CacheDraft(sample("ETag: \"a\"", body: ""), key: try key(path), store: store)
        var response = draft.response
        response.selection = Selection(by.isEmpty ? [] : [.init(name: "foo", fingerprint: by)])
        draft = CacheDraft(response, key: try key(path), store: store)
        guard draft.append(Array(body.utf8).span) else { return false }
        return draft.commit()
    }

    @Test(arguments: Kind.allCases)
    func `a stored response is found with its fields and its body`(kind: Kind) throws {
        let store = store(kind)
        #expect(store.find(try key()).isEmpty)
        #expect(try add(store, "content"))
        let found = try #require(store.find(try key()).first)
        #expect(found.fields["etag"] == "\"a\"")
        #expect(found.statusCode == 200)
        #expect(found.responseTime == start)
        #expect(try content(store, found) == "content")
        #expect(try #require(store.open(found.body)).isIntact(found.body))
        #expect(store.find(try key("y")).isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `a response replaces those with the same selection`(kind: Kind) throws {
        let store = store(kind)
        try add(store, "one", by: "1")
        try add(store, "two", by: "2")
        try add(store, "three", by: "1")
        let bodies = try store.find(try key()).map { try content(store, $0) }
        #expect(bodies.sorted() == ["three", "two"])
    }

    @Test(arguments: Kind.allCases)
    func `the fields of a response change and its body stays`(kind: Kind) throws {
        let store = store(kind)
        try add(store, "content")
        var found = try #require(store.find(try key()).first)
        found.fields = headerFields(["ETag: \"b\""])
        #expect(store.update(found, for: try key()))
        let updated = try #require(store.find(try key()).first)
        #expect(updated.fields["etag"] == "\"b\"")
        #expect(try content(store, updated) == "content")
        store.remove(try key())
        #expect(!store.update(found, for: try key()))
        #expect(store.find(try key()).isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `a response larger than a twentieth of the capacity is not stored`(kind: Kind) throws {
        let store = store(kind, capacity: 2_000_000)
        #expect(try add(store, String(repeating: "a", count: 100_000)))
        #expect(try !add(store, String(repeating: "a", count: 100_001)))
    }

    @Test(arguments: Kind.allCases)
    func `the least recently used response goes when the store is full`(kind: Kind) throws {
        let store = store(kind, capacity: 400_000)
        for number in 0..<100 {
            try add(store, String(repeating: "a", count: 10_000), "\(number)")
            store.close()
        }
        let kept = try (0..<100).filter { !store.find(try key("\($0)")).isEmpty }
        #expect(!kept.isEmpty && kept.count <= 40)
        #expect(kept.contains(99))
        #expect(!kept.contains(0))
    }

    @Test(arguments: Kind.allCases)
    func `useless responses go before older useful ones`(kind: Kind) throws {
        let store = store(kind, capacity: 400_000)
        func add(_ name: String, fields: [String]) throws {
            try store.add(String(repeating: "a", count: 10_000), name, fields: fields)
            store.close()
        }
        for number in 0..<10 { try add("a\(number)", fields: ["ETag: \"a\""]) }
        for number in 0..<40 { try add("b\(number)", fields: ["Cache-Control: max-age=60"]) }
        for number in 0..<5 { try add("c\(number)", fields: ["ETag: \"a\""]) }
        for number in 0..<10 { #expect(try store.contents("a\(number)").count == 1) }
        for number in 0..<5 { #expect(try store.contents("c\(number)").count == 1) }
        #expect(try store.contents("b0").isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `a body that outgrows memory is stored too`(kind: Kind) throws {
        let store = store(kind, capacity: 100 << 20)
        let body = String(repeating: "0123456789", count: 100_000)
        #expect(try add(store, body))
        let found = try #require(store.find(try key()).first)
        #expect(try content(store, found) == body)
    }
}
