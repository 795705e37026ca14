package import SystemKit
package import TransferModel

/// A response that comes in and may be stored once it is whole.
package struct CacheDraft: Sendable {
    /// The body, or what has come of it.
    package enum Content: Sendable {
        case memory([UInt8])
        /// It has no name yet, and is to have that one.
        case file(OutputFile, name: String)
    }

    package let key: CacheKey
    package private(set) var response: StoredResponse
    package private(set) var content = Content.memory([])
    private var hash = ContentHash()
    /// Whether the body is stored, too; otherwise only how it is known again.
    private var keepsBody: Bool
    private let mayOmitBody: Bool
    /// What it says is of then or later.
    private let originTime: Timestamp
    private let store: any CacheStore

    /// - Parameters:
    ///   - response: Its head.
    ///   - key: Where it belongs.
    ///   - store: What keeps it.
    ///   - originTime: What it says is of then or later; nil for the time of its request.
    ///   - keepsBody: Whether the body is stored, too.
    ///   - mayOmitBody: Whether it is of use without its body, should that be too large.
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

    /// Takes a piece of the body as it was sent; false when no more of it can be kept.
    package mutating func append(_ bytes: Span<UInt8>) -> Bool {
        response.body.length += Int64(bytes.count)
        hash.update(bytes)
        guard keepsBody else { return true }
        if response.body.length <= store.largestBody, keep(bytes) { return true }
        content = .memory([])
        keepsBody = false
        return mayOmitBody
    }

    /// Puts a piece to the others; false when that cannot be done.
    private mutating func keep(_ bytes: Span<UInt8>) -> Bool {
        switch content {
        case .file(let file, _):
            // Where one response had no room, no other one is to take it away.
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

    /// The disk that the body is written to has no room left for what is more important.
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

    /// Stores the response, which is whole.
    ///
    /// - Returns: What has become of it.
    package func finish() -> CacheVerdict.Storing {
        if commit() { return .stored }
        return store.changes.haveTouched(key, since: originTime) ? .outdated : .failed
    }

    /// Stores the response, which is whole; false when that cannot be done.
    package func commit() -> Bool {
        var response = response
        response.body.hash = hash.value
        return store.add(response, content, for: key, of: originTime)
    }
}
