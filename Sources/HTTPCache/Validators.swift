package import TransferModel

/// Checks whether stored responses match those at the origin (RFC 9110 §8.8, RFC 9111 §4.3).
package enum Validators {
    /// Whether the response can be validated.
    package static func hasAny(_ fields: HeaderFields) -> Bool {
        fields.firstValue(of: "etag") != nil || fields.firstValue(of: "last-modified") != nil
    }

    /// The conditions for validating stored responses at the origin (RFC 9111 §4.3.1).
    package static func conditions(for stored: [StoredResponse]) -> [HeaderField] {
        var tags: [String] = []
        for response in stored {
            if let tag = response.fields["etag"], !tags.contains(tag) { tags.append(tag) }
        }
        var conditions: [HeaderField] = []
        if !tags.isEmpty {
            let list = tags.joined(separator: ", ")
            conditions.append(HeaderField(name: "If-None-Match", value: list))
        }
        if stored.count == 1, let date = stored[0].fields["last-modified"] {
            conditions.append(HeaderField(name: "If-Modified-Since", value: date))
        }
        return conditions
    }

    /// Finds the stored response that a 304 confirms (RFC 9111 §4.3.4).
    ///
    /// - Parameters:
    ///   - fields: The fields of the 304.
    ///   - stored: The responses that the request's conditions named.
    /// - Returns: Its index; nil when no response matches and nothing must be updated.
    package static func confirmed(by fields: HeaderFields, among stored: [StoredResponse]) -> Int? {
        let candidates: [Int]
        if let tag = fields.firstValue(of: "etag") {
            let isWeak = isWeak(tag)
            candidates = stored.indices.filter { index in
                guard let own = stored[index].fields.firstValue(of: "etag") else { return false }
                return isWeak ? opaque(own) == opaque(tag) : own == tag
            }
        } else if let date = fields.firstValue(of: "last-modified") {
            candidates = stored.indices.filter {
                stored[$0].fields.firstValue(of: "last-modified").map { $0 == date } ?? true
            }
        } else {
            // Many servers omit unchanged fields.
            candidates = stored.count == 1 ? [0] : []
        }
        if candidates.count == 1 { return candidates[0] }
        return candidates.max { stored[$1].isMoreRecent(than: stored[$0]) }
    }

    /// Whether the response to a HEAD does not contradict the stored response (RFC 9111 §4.3.5).
    package static func isSame(_ fields: HeaderFields, as stored: StoredResponse) -> Bool {
        for name in ["etag", "last-modified"] {
            if let value = fields[name], value != stored.fields[name] { return false }
        }
        guard let length = fields["content-length"] else { return true }
        return Int64(length) == stored.body.length
    }

    /// Whether two entity tags are equal by the weak comparison (RFC 9110 §8.8.3.2).
    static func isWeaklyEqual(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        opaque(one) == opaque(other)
    }

    private static func isWeak(_ tag: ArraySlice<UInt8>) -> Bool { tag.starts(with: "W/".utf8) }

    private static func opaque(_ tag: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        isWeak(tag) ? tag.dropFirst(2) : tag
    }
}
