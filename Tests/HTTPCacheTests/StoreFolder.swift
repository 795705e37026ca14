import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import HTTPCache

func cacheKey(_ path: String = "x") throws -> CacheKey {
    try #require(CacheKey(try TransferURL("http://a.example/\(path)"), fingerprint))
}

extension CacheStore {
    /// Stores a body under a path, selected by a value of the field `foo` unless that is empty.
    @discardableResult
    func add(
        _ body: String,
        _ path: String = "x",
        by value: String = "",
        fields: [String] = ["ETag: \"a\""]
    ) throws -> Bool {
        let selection = value.isEmpty ? [] : [Selection.Field(name: "foo", fingerprint: value)]
        return try add(body, path, selection: Selection(selection), fields: fields)
    }

    @discardableResult
    func add(
        _ body: String,
        _ path: String = "x",
        selection: Selection,
        fields: [String] = ["ETag: \"a\""]
    ) throws -> Bool {
        let response = StoredResponse(
            statusCode: 200,
            fields: headerFields(fields),
            requestTime: start,
            responseTime: start,
            selection: selection
        )
        var draft = CacheDraft(response, key: try cacheKey(path), store: self)
        guard draft.append(Array(body.utf8).span) else { return false }
        return draft.commit()
    }

    /// The complete responses that are stored under a path.
    func contents(_ path: String = "x") throws -> [String] {
        try find(try cacheKey(path)).compactMap { stored in
            guard let body = open(stored.body), body.isIntact(stored.body) else { return nil }
            var bytes: [UInt8] = []
            _ = try body.forEachPiece(count: stored.body.length) { piece in
                bytes.append(piece)
                return true
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

/// A folder with a store on disk.
struct StoreFolder {
    let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    var path: String { temporary.path("cache") }

    func store(capacity: Int64 = 1 << 20, stopsAt step: DiskStore.Step? = nil) -> DiskStore {
        DiskStore(directory: path, capacity: capacity) { $0 == step }
    }

    var folders: DiskFolders {
        get throws { try DiskFolders(in: path, create: false) }
    }

    var inventory: DiskInventory {
        get throws { try #require(try DiskInventory.open(path)) }
    }

    /// The path in the temporary folder of the store's own folder, or of a file in it.
    func inside(_ name: String = ".") -> String { "cache/responses-1/\(name)" }

    func list(of path: String = "x") throws -> String { inside("lists/\(try cacheKey(path).name)") }

    func names(_ part: String) throws -> [String] { try temporary.list(inside(part)) }

    /// Takes a lock as another process would, until the result is released.
    func lock(_ name: String) throws -> FileLock {
        let lock = try FileLock(in: try folders.root, name: name)
        try #require(try lock.take())
        return lock
    }

    func lock(of path: String) throws -> FileLock {
        try lock(DiskFolders.lockName(of: try cacheKey(path).name))
    }

    /// Stores a response by a separate run.
    func add(_ body: String, _ path: String = "x") throws {
        let store = store()
        try #require(try store.add(body, path))
        store.close()
    }

    /// Has files be written two hours ago.
    func age(_ names: [String]) throws {
        let paths = names.map { temporary.path(inside($0)) }
        try #require(try Command("touch", ["-d", "2 hours ago"] + paths).run().status == .exit(0))
    }

    func ageBodies() throws { try age(try names("bodies").map { "bodies/\($0)" }) }
}
