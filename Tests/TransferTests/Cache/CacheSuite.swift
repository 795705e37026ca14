import HTTPCache
import TestSupport
import Transfer
import TransferModel

/// Tests of attempts with a cache.
protocol CacheSuite {
    /// Where the cache is, and the files that are fetched.
    var folder: TemporaryFolder { get }
}

extension CacheSuite {
    /// An attempt with the cache that keeps the body as `out`.
    func attempt(
        _ url: String,
        method: String = "GET",
        headers: [HeaderField] = [],
        _ change: (inout AttemptRequest) -> Void = { _ in }
    ) throws -> AttemptRequest {
        try .to(url, method: method, headers: headers) {
            $0.cachePolicy = .useProtocolCachePolicy
            $0.sink = .file(.init(path: folder.path("out"), displayPath: "out"))
            change(&$0)
        }
    }
}

extension HTTPCache {
    /// A cache on disk with room for bodies of some megabytes.
    static func roomy(in folder: TemporaryFolder) -> HTTPCache {
        HTTPCache(
            store: DiskStore(directory: folder.path("cache"), capacity: 1 << 26),
            fingerprint: { Engine.sha256(of: $0) }
        )
    }
}
