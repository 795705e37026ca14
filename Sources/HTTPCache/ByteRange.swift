internal import SystemKit
package import TransferModel

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
