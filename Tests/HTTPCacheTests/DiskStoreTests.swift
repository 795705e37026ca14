import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import HTTPCache

@Suite struct DiskStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(stopsAt step: DiskStore.Step? = nil, capacity: Int64 = 1 << 20) -> DiskStore
    {
        DiskStore(directory: folder.path("cache"), capacity: capacity) { $0 == step }
    }

    private func key(_ path: String = "x") throws -> CacheKey {
        try #require(CacheKey(try TransferURL("http://a.example/\(path)"), fingerprint))
    }

    @discardableResult
    private func add(_ store: DiskStore, _ body: String, _ path: String = "x") throws -> Bool {
        let response = sample("ETag: \"\(body)\"", body: "")
        var draft = CacheDraft(response, key: try key(path), store: store)
        guard draft.append(Array(body.utf8).span) else { return false }
        return draft.commit()
    }

    /// The content that a store has; nil for a missing or incomplete response.
    private func content(_ store: DiskStore, _ path: String = "x") throws -> String? {
        guard let found = store.find(try key(path)).first, let body = store.open(found.body),
            body.isIntact(found.body)
        else { return nil }
        #expect(found.fields["etag"] != nil)
        var bytes: [UInt8] = []
        _ = try body.forEachPiece(count: found.body.length) { piece in
            bytes.append(piece)
            return true
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func names(_ part: String) throws -> [String] {
        try Folder(path: folder.path("cache/responses-1/\(part)"), create: false).entries()
            .map(\.name)
    }

    @Test func `nothing is made before something is stored`() throws {
        let store = store()
        #expect(try content(store) == nil)
        store.remove(try key())
        store.close()
        #expect(!folder.contains("cache"))
    }

    @Test func `a read-only store finds responses, and keeps them as they are`() throws {
        try add(store(), "one")
        let reader = DiskStore(
            directory: folder.path("cache"),
            capacity: 1 << 20,
            isReadOnly: true
        )
        #expect(try content(reader) == "one")
        #expect(try !add(reader, "two"))
        #expect(try !add(reader, "three", "y"))
        reader.remove(try key())
        #expect(try content(store()) == "one")
        #expect(try names("lists").count == 1)
    }

    @Test func `the cache folder is readable by its owner alone`() throws {
        try add(store(), "one")
        let list = try #require(try names("lists").first)
        #expect(try folder.mode(of: "cache/responses-1") == 0o700)
        #expect(try folder.mode(of: "cache/responses-1/lists") == 0o700)
        #expect(try folder.mode(of: "cache/responses-1/lists/\(list)") == 0o600)
        let body = try #require(try names("bodies").first)
        #expect(try folder.mode(of: "cache/responses-1/bodies/\(body)") == 0o600)
    }

    @Test(arguments: DiskStore.Step.allCases)
    func `a process killed while storing leaves the old response or none`(
        step: DiskStore.Step
    ) throws {
        #expect(try !add(store(stopsAt: step), "one"))
        #expect(try content(store()) == nil)
        #expect(try add(store(), "two"))
        #expect(try !add(store(stopsAt: step), "three"))
        #expect(try content(store()) == "two")
        #expect(try add(store(), "four"))
        #expect(try content(store()) == "four")
    }

    @Test func `damaged files are not used`() throws {
        let store = store()
        try add(store, "one")
        let list = "cache/responses-1/lists/" + (try #require(try names("lists").first))
        let text = try folder.read(list)
        for cut in [0, 1, text.count / 2, text.count - 1] {
            try folder.write(Array(text.prefix(cut)), to: list, mode: 0o600)
            #expect(try content(store) == nil)
        }
        var changed = text
        changed[text.count / 2] ^= 1
        try folder.write(changed, to: list, mode: 0o600)
        #expect(try content(store) == nil)
        try add(store, "two")
        let body = "cache/responses-1/bodies/" + (try #require(try names("bodies").last))
        try folder.write(Array("owt".utf8), to: body, mode: 0o600)
        #expect(try content(store) == nil || content(store) == "two")
    }

    @Test func `a list of another URL under the same name is none`() throws {
        let store = store()
        try add(store, "one")
        let name = try key().name
        let other = CacheKey(try TransferURL("http://b.example/")) { _ in name }
        #expect(store.find(try #require(other)).isEmpty)
    }

    @Test func `a write error turns the store off`() throws {
        try folder.write("", to: "cache")
        let store = store()
        #expect(try !add(store, "one"))
        #expect(store.fault != nil)
        #expect(try content(store) == nil)
    }

    @Test func `a folder that is removed meanwhile is made again`() throws {
        let store = store()
        try add(store, "one")
        folder.clear()
        #expect(try content(store) == nil)
        try add(store, "two")
        try add(store, "three")
        #expect(try content(store) == "three")
        #expect(store.fault == nil)
    }

    @Test func `several stores of one folder keep it within its capacity and whole`() throws {
        let capacity: Int64 = 1 << 20
        let folder = folder
        let threads = try (0..<4).map { thread in
            try JoinableThread(name: "store \(thread)") {
                let store = DiskStore(directory: folder.path("cache"), capacity: capacity)
                for round in 0..<150 {
                    let number = (round * 7 + thread * 13) % 60
                    guard let url = try? TransferURL("http://a.example/\(number)"),
                        let key = CacheKey(url, fingerprint)
                    else { continue }
                    let stored = sample("ETag: \"a\"", body: "")
                    var draft = CacheDraft(stored, key: key, store: store)
                    let body = Array("\(number) ".utf8) + [UInt8](repeating: 65, count: 20_000)
                    _ = draft.append(body.span)
                    _ = draft.commit()
                    if round % 10 == 9 { store.remove(key) }
                    for found in store.find(key) {
                        guard case .file(let file)? = store.open(found.body) else { continue }
                        let prefix = try? file.read(at: 0, count: "\(number) ".utf8.count)
                        #expect(prefix == Array("\(number) ".utf8))
                        #expect(StoredBody.file(file).isIntact(found.body))
                    }
                }
                store.close()
            }
        }
        for thread in threads { thread.join() }
        let files =
            try Folder(path: folder.path("cache/responses-1/lists"), create: false).entries()
            + Folder(path: folder.path("cache/responses-1/bodies"), create: false).entries()
        #expect(files.reduce(0) { $0 + $1.size } <= capacity)
    }
}
