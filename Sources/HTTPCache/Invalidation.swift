package import TransferModel

/// What a request that may change something at the origin makes untrue (RFC 9111 §4.4).
package enum Invalidation {
    /// The URLs whose stored responses must not be used any more.
    ///
    /// - Parameters:
    ///   - response: The answer to the request.
    ///   - request: Of any method.
    /// - Returns: None after a safe method or an error; else its own, and those of the same origin that it was told of.
    package static func urls(
        after response: ResponseHead,
        to request: CacheRequest
    ) -> [HTTPURL] {
        guard !request.isSafe, (200...399).contains(response.statusCode) else { return [] }
        let others = ["location", "content-location"].flatMap { name in
            response.fields.values(of: name).compactMap(request.url.resolving)
        }
        return [request.url] + others.filter { $0.origin == request.url.origin }
    }
}
