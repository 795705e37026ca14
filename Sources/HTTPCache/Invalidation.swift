package import TransferModel

/// Removes stored responses that an unsafe request made invalid (RFC 9111 §4.4).
package struct Invalidation: Sendable {
    /// All stores that may have such responses.
    private let stores: [any CacheStore]
    /// Whether this run stores responses.
    private let hasCaches: Bool
    private let fingerprint: Fingerprint

    /// - Parameters:
    ///   - caches: The caches of the run's sessions.
    ///   - others: Stores that other runs use.
    ///   - fingerprint: The function that all these stores use.
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
        hasCaches = !caches.isEmpty
        self.fingerprint = fingerprint
    }

    /// Removes the stored responses that a response makes invalid, in all stores, and keeps
    /// responses in progress from being stored.
    ///
    /// - Parameters:
    ///   - response: The response to the unsafe request.
    ///   - method: The request's method.
    ///   - url: The request's URL.
    ///   - now: The current time, from the clock that dates requests.
    package func apply(
        _ response: ResponseHead,
        to method: String,
        _ url: TransferURL,
        at now: Timestamp
    ) {
        guard !RequestSpec.isSafe(method) else { return }
        lazy var urls = Self.urls(after: response, to: method, url)
        if hasCaches {
            for store in stores { for url in urls { store.changes.note(url, at: now) } }
        }
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
    ///   - response: The response to the request.
    ///   - method: The request's method.
    ///   - url: The request's URL.
    /// - Returns: None after a safe method or an error; otherwise the request's URL and the URLs of
    ///   the same origin in `Location` and `Content-Location`.
    static func urls(after response: ResponseHead, to method: String, _ url: TransferURL)
        -> [TransferURL]
    {
        guard !RequestSpec.isSafe(method), (200...399).contains(response.statusCode) else {
            return []
        }
        let others = ["location", "content-location"].flatMap { name in
            response.fields.values(of: name).compactMap(url.resolving)
        }
        return [url] + others.filter { $0.origin == url.origin }
    }
}
