package import SystemKit
package import TransferModel

/// A response in progress that may be stored once it is complete.
package struct CacheDraft: Sendable {
    /// The key to store the response under.
    package let key: CacheKey
    /// The head; `body` has no length or hash before the end.
    package private(set) var response: StoredResponse
    /// The body received so far; moves to a file when it grows.
    package private(set) var content = ReceivedBody.memory([])
    private var hash = ContentHash()
    /// Whether the body is stored too, or only its length and hash.
    private var keepsBody: Bool
    private let mayOmitBody: Bool
    /// The content reflects the origin's state at this time or later.
    private let originTime: Timestamp
    private let store: any CacheStore

    /// - Parameters:
    ///   - response: The response's head.
    ///   - key: The key to store it under.
    ///   - store: The store that keeps it.
    ///   - originTime: The content reflects this time or later; nil for the time of its request.
    ///   - keepsBody: Whether the body is stored, too.
    ///   - mayOmitBody: Whether the response is useful without its body if that is too large.
    init(
        _ response: StoredResponse,
        key: CacheKey,
        store: any CacheStore,
        originTime: Timestamp? = nil,
        keepsBody: Bool = true,
        mayOmitBody: Bool = false
    ) {
        self.keepsBody = keepsBody
        self.mayOmitBody = mayOmitBody
        self.originTime = originTime ?? response.requestTime
        self.response = response
        self.key = key
        self.store = store
    }

    /// Takes a piece of the body as sent; false when the cache needs no more of it.
    package mutating func append(_ bytes: Span<UInt8>) -> Bool {
        response.body.length += Int64(bytes.count)
        hash.update(bytes)
        guard keepsBody else { return true }
        if response.body.length <= store.largestBody, keep(bytes) { return true }
        content = .memory([])
        keepsBody = false
        return mayOmitBody
    }

    /// Appends a piece to the body; false when that fails.
    private mutating func keep(_ bytes: Span<UInt8>) -> Bool {
        switch content {
        case .file(let file, _):
            // After a fault such as a full disk, the store writes no other response.
            return store.fault == nil && write(bytes, to: file)
        case .memory(var kept):
            content = .memory([])
            kept.append(bytes)
            guard kept.count > store.largestInMemory else {
                content = .memory(kept)
                return true
            }
            guard let (file, name) = store.makeFile(for: response, key) else { return false }
            content = .file(file, name: name)
            return write(kept.span, to: file)
        }
    }

    /// Reports that the disk of the body has no room for the task's own file, which is more
    /// important.
    package func didFail(_ error: SystemError) { store.didFail(error) }

    private func write(_ bytes: Span<UInt8>, to file: OutputFile) -> Bool {
        do throws(SystemError) {
            try file.write(bytes)
            return true
        } catch {
            store.didFail(error)
            return false
        }
    }

    /// Stores the complete response.
    ///
    /// - Returns: Whether the response is stored, outdated or failed.
    package func finish() -> CacheVerdict.Storing {
        if commit() { return .stored }
        return store.changes.haveTouched(key, since: originTime) ? .outdated : .failed
    }

    /// Stores the complete response; false when that fails.
    package func commit() -> Bool {
        var response = response
        response.body.hash = hash.value
        return store.add(response, content, for: key, of: originTime)
    }
}
