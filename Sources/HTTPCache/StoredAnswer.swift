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

/// The part of a stored body that a request asks for (RFC 9110 §14.1.2).
package struct ByteRange: Sendable, Hashable {
    /// Offset within the body.
    package let start: Int64
    /// At least 1.
    package let count: Int64

    /// Reads `Range`; nil for another unit, several ranges or a range outside the body: then the
    /// origin answers.
    ///
    /// - Parameters:
    ///   - value: The field's value.
    ///   - length: The body's length.
    package init?(_ value: String, of length: Int64) {
        let parts = value.splitAtBytes("=", maxSplits: 1, omittingEmpty: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].splitAtBytes("-", maxSplits: 1, omittingEmpty: false)
        guard ends.count == 2 else { return nil }
        let first = Self.number(ends[0])
        let last = Self.number(ends[1])
        if let first {
            guard first < length, ends[1].isEmpty || last != nil else { return nil }
            let end = min(last ?? .max, length - 1)
            guard end >= first else { return nil }
            start = first
            count = end - first + 1
        } else {
            guard ends[0].isEmpty, let last, last > 0, length > 0 else { return nil }
            count = min(last, length)
            start = length - count
        }
    }

    /// The head of the 206 response that carries this part of a complete response.
    package func head(of whole: ResponseHead, length: Int64) -> ResponseHead {
        var fields = StoredFields.without(["content-length", "content-range"], whole.fields)
        let range = "bytes \(start)-\(start + count - 1)/\(length)"
        fields.append(HeaderField(name: "Content-Range", value: range))
        fields.append(HeaderField(name: "Content-Length", value: String(count)))
        return ResponseHead(statusCode: 206, fields: fields)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy(\.isDigit) ? Int64(text) : nil
    }
}
