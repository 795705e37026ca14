internal import SystemKit
package import TransferModel

/// A response as it was stored: with the fields that may be stored, and with what it takes to
/// choose and to judge it.
package struct StoredResponse: Sendable, Hashable {
    /// What is known of its body.
    package struct Body: Sendable, Hashable {
        /// Bytes.
        package var length: Int64
        /// XXH64 of the bytes, by `ContentHash`.
        package var hash: UInt64
        /// How the store finds it; empty for a body that is kept nowhere, because it is empty or a
        /// file elsewhere has it.
        package var name: String

        package init(length: Int64, hash: UInt64, name: String = "") {
            self.length = length
            self.hash = hash
            self.name = name
        }
    }

    package var statusCode: Int
    package var fields: HeaderFields
    /// When the request was made that brought it, or that has validated it last.
    package var requestTime: Timestamp
    /// When the response to that began.
    package var responseTime: Timestamp
    package var selection: Selection
    package var body: Body
    /// Whether it must be validated before it is used, however fresh it is (RFC 9111 §4.4).
    package var isInvalidated = false

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

    /// Its head as it is handed out, with its age (RFC 9111 §4, §5.1).
    ///
    /// - Parameter now: nil for a response that was validated just now, which says itself how old
    ///   it is.
    /// - Returns: Its status and fields.
    package func head(at now: Timestamp?) -> ResponseHead {
        guard let now else { return ResponseHead(statusCode: statusCode, fields: fields) }
        let age = Freshness.age(of: self, now: now)
        var fields = fields
        if fields.firstValue(of: "age") != nil { fields = StoredFields.without(["age"], fields) }
        fields.append(HeaderField(name: "Age", value: String(age)))
        return ResponseHead(statusCode: statusCode, fields: fields)
    }

    /// Whether its body is at hand; otherwise the response is good for a validation only.
    package var hasBody: Bool { body.length == 0 || !body.name.isEmpty }

    /// Which of two is the more recent one, by `Date` (RFC 9111 §4).
    func isMoreRecent(than other: StoredResponse) -> Bool {
        let own = date ?? responseTime
        let theirs = other.date ?? other.responseTime
        return own == theirs ? responseTime > other.responseTime : own > theirs
    }

    /// What `Date` says; nil without a valid one.
    var date: Timestamp? { date(of: "date") }

    /// What `Last-Modified` says; nil without a valid one.
    var lastModified: Timestamp? { date(of: "last-modified") }

    private func date(of name: String) -> Timestamp? {
        fields.firstValue(of: name).flatMap { HTTPDate.parse($0.span, now: responseTime) }
    }
}
