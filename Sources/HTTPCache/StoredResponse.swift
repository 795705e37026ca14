internal import SystemKit
package import TransferModel

/// A stored response: its storable fields and the properties for selecting and judging it.
package struct StoredResponse: Sendable, Hashable {
    /// The stored body.
    package struct Body: Sendable, Hashable {
        /// Bytes.
        package var length: Int64
        /// XXH64 of the bytes, by `ContentHash`.
        package var hash: UInt64
        /// The body's name in the store; empty when the body is empty or only in a file elsewhere.
        package var name: String

        /// Creates the description of a stored body; without `name` the store does not have it.
        package init(length: Int64, hash: UInt64, name: String = "") {
            self.length = length
            self.hash = hash
            self.name = name
        }
    }

    /// The status code of the response.
    package var statusCode: Int
    /// The fields that may be stored (RFC 9111 §3.1), as updated by the last 304.
    package var fields: HeaderFields
    /// When the request was made that fetched the response or last validated it (RFC 9111 §4.2.3).
    package var requestTime: Timestamp
    /// When the head of the response to that request was complete (RFC 9111 §4.2.3).
    package var responseTime: Timestamp
    /// The request fields that another request must share.
    package var selection: Selection
    /// The length, the hash and the name of the body.
    package var body: Body
    /// Whether the response needs validation before use, however fresh it is (RFC 9111 §4.4).
    package var isInvalidated = false

    /// Creates a stored response with an empty body by default.
    package init(
        statusCode: Int,
        fields: HeaderFields,
        requestTime: Timestamp,
        responseTime: Timestamp,
        selection: Selection = Selection(),
        body: Body = Body(length: 0, hash: ContentHash().value)
    ) {
        self.statusCode = statusCode
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.selection = selection
        self.body = body
    }

    /// Whether the body is available; otherwise the response serves for validation only.
    package var hasBody: Bool { body.length == 0 || !body.name.isEmpty }

    /// Whether this response is more recent than another by `Date` (RFC 9111 §4).
    func isMoreRecent(than other: StoredResponse) -> Bool {
        let own = date ?? responseTime
        let theirs = other.date ?? other.responseTime
        return own == theirs ? responseTime > other.responseTime : own > theirs
    }

    /// The value of `Date`; nil without a valid one.
    var date: Timestamp? { date(of: "date") }

    /// The value of `Last-Modified`; nil without a valid one.
    var lastModified: Timestamp? { date(of: "last-modified") }

    private func date(of name: String) -> Timestamp? {
        fields.firstValue(of: name).flatMap { HTTPDate.parse($0.span, now: responseTime) }
    }
}
