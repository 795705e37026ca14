import TransferModel

/// The wait that a response asks for (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The wait in the first `Retry-After` field, as whole seconds or as a date.
    ///
    /// Nil when there is none, and for nonsense, a negative number or a date that is not after `now`. A number too large to
    /// hold is the longest wait that a `Duration` of nanoseconds can tell.
    static func wait(in fields: HeaderFields, now: Timestamp) -> Duration? {
        guard let value = fields["retry-after"] else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) {
            return .seconds(min(Int64(value) ?? .max, longestSeconds))
        }
        guard let date = HTTPDate.parse(value, now: now), date > now else { return nil }
        return .microseconds(date.microseconds(since: now))
    }

    private static let longestSeconds = Int64.max / 1_000_000_000
}
