/// A limit of time, and the key of the job file that sets it.
package struct TimeLimit: Sendable, Hashable {
    /// The keys of limits.
    package enum Key: String, Sendable, Hashable {
        case connectTimeout
        case timeoutInterval
        case timeoutIntervalForRequest
        case timeoutIntervalForResource
    }

    /// The key that sets the limit.
    package let key: Key
    /// The longest time.
    package let duration: Duration

    /// A limit that a key sets.
    package init(_ key: Key, _ duration: Duration) {
        self.key = key
        self.duration = duration
    }

    /// The key and its value as in the job file: `timeoutInterval: 200ms`, in backticks.
    package var text: String { "`\(key.rawValue): \(duration.jobText)`" }
}

extension SessionConfiguration {
    /// The longest duration of a task; nil for no limit.
    package var resourceLimit: TimeLimit? {
        timeoutIntervalForResource.map { TimeLimit(.timeoutIntervalForResource, $0) }
    }
}

extension TransferFailure {
    /// A limit of time is exceeded; nil for a limit that no key sets.
    ///
    /// `words` tell what happened, up to the limit: `nothing moved within`.
    package init(phase: Phase, _ words: String, _ limit: TimeLimit?) {
        self.init(
            kind: .timeout,
            phase: phase,
            detail: "\(words) \(limit?.text ?? "its time")",
            urlError: .timedOut
        )
        decidingKey = limit.map { [$0.key.rawValue] } ?? []
    }
}

extension Duration {
    /// The duration in the largest unit of the job file that makes it a whole number: `7d`, `90s`.
    ///
    /// One minute is `60s`, as in the defaults.
    package var jobText: String {
        let nanoseconds = nanoseconds
        guard self != .seconds(60) else { return "60s" }
        let unit =
            DurationUnit.allCases.first {
                nanoseconds >= $0.nanoseconds && nanoseconds.isMultiple(of: $0.nanoseconds)
            } ?? .milliseconds
        return "\(nanoseconds / unit.nanoseconds)\(unit.rawValue)"
    }
}

/// The units of durations in job files, from the largest to the smallest; their names are those of
/// the file.
package enum DurationUnit: String, CaseIterable, Sendable {
    case days = "d"
    case hours = "h"
    case minutes = "m"
    case seconds = "s"
    case milliseconds = "ms"

    /// The length of the unit.
    package var nanoseconds: Int64 {
        switch self {
        case .days: 86_400_000_000_000
        case .hours: 3_600_000_000_000
        case .minutes: 60_000_000_000
        case .seconds: 1_000_000_000
        case .milliseconds: 1_000_000
        }
    }
}
