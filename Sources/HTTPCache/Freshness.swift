package import TransferModel

/// How long a response is fresh, and how old it is (RFC 9111 §4.2); in whole seconds.
package struct Freshness: Sendable, Hashable {
    /// The longest heuristic freshness.
    static let longestGuess: Int64 = 86_400

    /// From the response's generation on; 0 when the response has no freshness.
    package let lifetime: Int64
    /// At the time `now`.
    package let age: Int64
    /// Whether nothing in the response says how long it is fresh.
    let isGuessed: Bool
    /// Whether the clock was set back to before the response time, so that the age is unknown.
    private let isFromFuture: Bool

    /// Computes the freshness of a stored response at the time `now`.
    package init(of response: StoredResponse, now: Timestamp) {
        self.init(of: response, CacheControl(response.fields), now: now)
    }

    /// - Parameters:
    ///   - response: The response.
    ///   - control: The directives of its fields.
    ///   - now: The current time.
    init(of response: StoredResponse, _ control: CacheControl, now: Timestamp) {
        lifetime = Self.lifetime(of: response, control)
        isGuessed = control.maxAge == nil && response.fields.firstValue(of: "expires") == nil
        age = Self.age(of: response, now: now)
        isFromFuture = now < response.responseTime
    }

    /// Whether the response is fresh; never when its times lie in the future.
    package var isFresh: Bool { lifetime > age && !isFromFuture }

    /// For how long the response has been stale; 0 while fresh, `max` when the age is unknown.
    package var staleness: Int64 { isFromFuture ? .max : max(0, age - lifetime) }

    /// For how long the response will remain fresh.
    var remaining: Int64 { isFromFuture ? 0 : max(0, lifetime - age) }

    /// RFC 9111 §4.2.1; `s-maxage` is for shared caches.
    static func lifetime(of response: StoredResponse, _ control: CacheControl) -> Int64 {
        if let maxAge = control.maxAge { return maxAge }
        let generated = response.date ?? response.responseTime
        if let expires = response.fields.firstValue(of: "expires") {
            // An invalid date, above all `0`, lies in the past (RFC 9111 §5.3).
            guard let date = HTTPDate.parse(expires.span, now: response.responseTime) else {
                return 0
            }
            return max(0, date.seconds - generated.seconds)
        }
        return guessedLifetime(of: response, control, generated)
    }

    /// A tenth of the time since the content last changed (RFC 9111 §4.2.2).
    private static func guessedLifetime(
        of response: StoredResponse,
        _ control: CacheControl,
        _ generated: Timestamp
    ) -> Int64 {
        let isPublic = control.flags.contains(.isPublic)
        guard isPublic || isHeuristicallyCacheable(response.statusCode),
            let changed = response.lastModified
        else { return 0 }
        return min(max(0, generated.seconds - changed.seconds) / 10, longestGuess)
    }

    /// Statuses that are cacheable by default (RFC 9110 §15.1), except 206.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// RFC 9111 §4.2.3, in its conservative form.
    fileprivate static func age(of response: StoredResponse, now: Timestamp) -> Int64 {
        let received = response.responseTime
        let apparent = response.date.map { max(0, received.seconds - $0.seconds) } ?? 0
        let delay = max(0, received.microseconds(since: response.requestTime) / 1_000_000)
        let corrected = statedAge(of: response) + delay
        let resident = max(0, now.microseconds(since: received) / 1_000_000)
        return max(apparent, corrected) + resident
    }

    /// The first member of the first `Age`; 0 for anything else (RFC 9111 §5.1).
    private static func statedAge(of response: StoredResponse) -> Int64 {
        guard let value = response.fields.firstValue(of: "age") else { return 0 }
        var cursor = ListCursor(Array(value))
        return cursor.nextElement().flatMap { DeltaSeconds.parse($0) } ?? 0
    }
}

extension StoredResponse {
    /// The head to deliver, with its age (RFC 9111 §4, §5.1).
    ///
    /// - Parameter now: nil for a just validated response, which states its own age.
    /// - Returns: Its status and fields.
    package func head(at now: Timestamp?) -> ResponseHead {
        guard let now else { return ResponseHead(statusCode: statusCode, fields: fields) }
        let age = Freshness.age(of: self, now: now)
        var fields = fields
        if fields.firstValue(of: "age") != nil { fields = StoredFields.without(["age"], fields) }
        fields.append(HeaderField(name: "Age", value: String(age)))
        return ResponseHead(statusCode: statusCode, fields: fields)
    }

    /// When the response becomes useless, seconds since 1970: stale, and without a validator.
    ///
    /// - Returns: nil when the response can be validated then.
    var uselessFrom: Int64? {
        if Validators.hasAny(fields) { return nil }
        return responseTime.seconds + Freshness(of: self, now: responseTime).remaining
    }
}

extension Timestamp {
    /// Whole seconds since 1970, rounded down so that no date gets later (RFC 9111 §4.2).
    var seconds: Int64 { microseconds.flooredDivision(by: 1_000_000).quotient }
}
