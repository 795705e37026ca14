internal import SystemKit
package import TransferModel

/// When the requests of a session may leave under its limit, which the scheduler and all engine
/// threads share.
///
/// Requests are evenly spaced, so that no part of a minute has more than its share.
package final class RequestTurns: Sendable {
    private struct State {
        /// The time from one request to the next; nil for no limit.
        var spacing: Duration?
        /// When the next request may leave.
        var next: MonotonicTime
    }

    /// How late a request may be without moving the requests after it: a busy thread costs no
    /// requests.
    private static let slack = Duration.milliseconds(100)

    private let limits: SessionLimits
    private let state: Lock<State>

    /// Creates the turns of a session from a time on; nil when no time of day has a limit.
    package init?(_ limits: SessionLimits, now: MonotonicTime) {
        guard limits.limitsRequests else { return nil }
        self.limits = limits
        state = Lock(State(spacing: limits.rates.requests?.rate?.spacing, next: now))
    }

    /// Whether the limit depends on the time of day.
    package var hasTimetable: Bool { !limits.timetable.isEmpty }

    /// The answer to a request that would leave now.
    package enum Turn: Sendable, Hashable {
        /// It may leave, and is counted.
        case taken
        /// It may not, and is not counted; another time may be better.
        case later(MonotonicTime)
    }

    /// Takes the turn for a request that leaves now, if there is one: two threads never take the
    /// same.
    package func take(_ now: MonotonicTime) -> Turn {
        state.withLock { state in
            guard let spacing = state.spacing else { return .taken }
            guard state.next <= now else { return .later(state.next) }
            state.next = max(state.next, now + (.zero - Self.slack)) + spacing
            return .taken
        }
    }

    /// Counts requests that have left without a turn; a negative number takes back some that were
    /// not sent.
    package func charge(_ requests: Int, _ now: MonotonicTime) {
        state.withLock { state in
            guard let spacing = state.spacing else { return }
            let time = Duration.nanoseconds(spacing.nanoseconds * Int64(requests))
            state.next = max(state.next, now) + time
        }
    }

    /// Takes the rate of a minute of the local day.
    package func read(minuteOfDay: Int, _ now: MonotonicTime) {
        let spacing = limits.rates(atMinute: minuteOfDay).requests?.rate?.spacing
        state.withLock { state in
            guard spacing != state.spacing else { return }
            state.spacing = spacing
            // A request that the old rate put off waits at most as long as the new rate says.
            state.next = min(state.next, now + (spacing ?? .zero))
        }
    }
}
