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
