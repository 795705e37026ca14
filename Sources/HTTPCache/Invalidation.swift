package import TransferModel

/// What a request that may change something at the origin makes untrue (RFC 9111 §4.4).
package struct Invalidation: Sendable {
    /// Whoever has stored something in them.
    private let stores: [any CacheStore]
    private let fingerprint: Fingerprint

    /// - Parameters:
    ///   - caches: Those of the run's sessions.
    ///   - others: Stores that other runs use.
    ///   - fingerprint: As all of them have it.
    package init(
        in caches: [HTTPCache],
        and others: [any CacheStore] = [],
        fingerprint: @escaping Fingerprint
    ) {
        var stores: [any CacheStore] = []
        for store in caches.map(\.store) + others
        where !stores.contains(where: { $0 === store }) {
            stores.append(store)
        }
        self.stores = stores
        self.fingerprint = fingerprint
    }

    /// Whether a method asks for no more than a look; one that is not known may do anything (RFC
    /// 9110 §9.2.1).
    package static func isSafe(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
    }

    /// Forgets what is stored of everything that a response makes untrue, for whomever it was
    /// stored, and has nothing of it stored that is under way.
    ///
    /// - Parameters:
    ///   - response: The answer to a request.
    ///   - method: The request's.
    ///   - url: What the request has asked.
    ///   - now: The present, as requests have it.
    package func apply(
        _ response: ResponseHead,
        to method: String,
        _ url: HTTPURL,
        at now: Timestamp
    ) {
        guard !Self.isSafe(method) else { return }
        let urls = Self.urls(after: response, to: method, url)
        for store in stores { for url in urls { store.changes.note(url, at: now) } }
        let stores = stores.filter { !$0.isEmpty }
        guard !stores.isEmpty else { return }
        for url in urls {
            guard let key = CacheKey(url, fingerprint) else { continue }
            for store in stores { store.remove(key) }
        }
    }

    /// The URLs whose stored responses must not be used any more.
    ///
    /// - Parameters:
    ///   - response: The answer to a request.
    ///   - method: The request's.
    ///   - url: What the request has asked.
    /// - Returns: None after a safe method or an error; else its own, and those of the same origin
    ///   that it was told of.
    static func urls(after response: ResponseHead, to method: String, _ url: HTTPURL) -> [HTTPURL] {
        guard !isSafe(method), (200...399).contains(response.statusCode) else { return [] }
        let others = ["location", "content-location"].flatMap { name in
            response.fields.values(of: name).compactMap(url.resolving)
        }
        return [url] + others.filter { $0.origin == url.origin }
    }
}
