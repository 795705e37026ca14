internal import SystemKit
import TransferModel

/// The wait that a response asks for (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The wait in the first `Retry-After` field, as whole seconds or as a date.
    ///
    /// A date is compared with the response's own `Date`, so that a wrong clock does not change the
    /// wait. The result is nil without the field, and for an invalid value, a negative number or a
    /// past date. A number that is too large gives the longest wait that fits a `Duration` of
    /// nanoseconds.
    ///
    /// - Parameters:
    ///   - fields: The response's.
    ///   - now: The present, for a response without a `Date`.
    /// - Returns: The wait.
    static func wait(in fields: HeaderFields, now: Timestamp) -> Duration? {
        guard let value = fields["retry-after"] else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy(\.isDigit) {
            return .seconds(min(Int64(value) ?? .max, longestSeconds))
        }
        let start = fields["date"].flatMap { HTTPDate.parse($0, now: now) } ?? now
        guard let date = HTTPDate.parse(value, now: now), date > start else { return nil }
        return .microseconds(date.microseconds(since: start))
    }

    private static let longestSeconds = Int64.max / 1_000_000_000
}
