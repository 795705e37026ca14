package import SystemKit
internal import TransferModel

/// A response that comes in and may be stored once it is whole.
package struct CacheDraft: Sendable {
    /// The body, or what has come of it.
    package enum Content: Sendable {
        case memory([UInt8])
        /// It has no name yet, and is to have that one.
        case file(OutputFile, name: String)
    }

    /// Bodies up to this size wait in memory.
    static let memoryLimit = 64 << 10

    package let key: CacheKey
    package private(set) var response: StoredResponse
    package private(set) var content = Content.memory([])
    private var hash = ContentHash()
    /// Whether the body is stored, too; otherwise only how it is known again.
    private let keepsBody: Bool
    private let store: any CacheStore

    init(
        _ response: StoredResponse,
        key: CacheKey,
        store: any CacheStore,
        keepsBody: Bool = true
    ) {
        self.keepsBody = keepsBody
        self.response = response
        self.key = key
        self.store = store
    }

    /// Takes a piece of the body as it was sent; false when no more of it can be kept.
    package mutating func append(_ bytes: Span<UInt8>) -> Bool {
        response.body.length += Int64(bytes.count)
        hash.update(bytes)
        guard keepsBody else { return true }
        guard response.body.length <= store.largestBody else { return false }
        switch content {
        case .file(let file, _):
            return (try? file.write(bytes)) != nil
        case .memory(var kept):
            content = .memory([])
            kept.append(bytes)
            content = .memory(kept)
            guard kept.count > Self.memoryLimit, let file = store.makeFile(for: key) else {
                return true
            }
            content = .file(file.file, name: file.name)
            return (try? file.file.write(kept.span)) != nil
        }
    }

    /// Stores the response, which is whole; false when that cannot be done.
    package func commit() -> Bool {
        var response = response
        response.body.hash = hash.value
        return store.add(response, content, for: key)
    }
}
