internal import SystemKit
package import TransferModel

/// The answer of a stored response to a request with conditions of its own or with a range.
package enum StoredAnswer: Sendable, Hashable {
    /// The whole stored response.
    case whole
    /// A part of the stored body.
    case part(ByteRange)
    /// A 304, because the request names a validator of the stored response.
    case notModified

    /// Evaluates the request's conditions and its range (RFC 9110 §13.2.2, RFC 9111 §4.3.2); nil
    /// when only the origin can give the answer.
    ///
    /// - Parameters:
    ///   - request: A GET or HEAD that the stored response may answer.
    ///   - stored: The stored response.
    package init?(to request: CacheRequest, with stored: StoredResponse) {
        let isConditional = request.hasCondition
        // A condition changes only the answer to a request that would otherwise succeed.
        if isConditional, stored.statusCode == 200,
            Self.isNotModified(stored, for: request.fields)
        {
            self = .notModified
            return
        }
        if request.method == "HEAD" {
            self = .whole
            return
        }
        guard stored.hasBody else { return nil }
        guard let value = request.range else {
            self = .whole
            return
        }
        guard stored.statusCode == 200 else { return nil }
        if isConditional, !Self.mayGivePart(of: stored, to: request.fields) {
            self = .whole
            return
        }
        guard let range = ByteRange(value, of: stored.body.length) else { return nil }
        self = .part(range)
    }

    /// The head of the answer.
    ///
    /// - Parameters:
    ///   - whole: The head of the stored response.
    ///   - length: The length of the stored body.
    /// - Returns: The head.
    package func head(of whole: ResponseHead, length: Int64) -> ResponseHead {
        switch self {
        case .whole: return whole
        case .part(let range): return range.head(of: whole, length: length)
        case .notModified:
            let fields = StoredFields.ofNotModified(whole.fields)
            return ResponseHead(statusCode: 304, fields: fields)
        }
    }

    /// Evaluates `If-None-Match`, or `If-Modified-Since` in its absence (RFC 9110 §13.1).
    private static func isNotModified(_ stored: StoredResponse, for fields: [HeaderField]) -> Bool {
        let tags = fields.values(of: "if-none-match")
        if !tags.isEmpty {
            let own = stored.fields.firstValue(of: "etag")
            for value in tags {
                var cursor = ListCursor(Array(value.utf8))
                while let tag = cursor.nextElement() {
                    if tag.elementsEqual("*".utf8) { return true }
                    if let own, Validators.isWeaklyEqual(tag, own) { return true }
                }
            }
            return false
        }
        let dates = fields.values(of: "if-modified-since")
        guard dates.count == 1, let date = HTTPDate.parse(dates[0], now: stored.responseTime)
        else { return false }
        return (stored.lastModified ?? stored.date ?? stored.responseTime) <= date
    }

    /// Evaluates `If-Range`, which needs a strong validator (RFC 9110 §13.1.5).
    private static func mayGivePart(of stored: StoredResponse, to fields: [HeaderField]) -> Bool {
        let values = fields.values(of: "if-range")
        guard let value = values.first else { return true }
        guard values.count == 1 else { return false }
        if value.utf8.first == UInt8(ascii: "\"") { return value == stored.fields["etag"] }
        // A date is strong when the response was made at least a second later.
        guard let date = HTTPDate.parse(value, now: stored.responseTime),
            let modified = stored.lastModified, let made = stored.date
        else { return false }
        return date == modified && made.seconds > modified.seconds
    }
}
