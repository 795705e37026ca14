internal import SystemKit
internal import TransferModel

/// When unsafe requests of this run changed a URL at its origin; responses requested before the
/// change are not stored.
///
/// Its methods may be called from any thread.
package final class OriginChanges: Sendable {
    private struct State {
        /// Changes whose keys are not made yet, because no lookup has needed them.
        var recent: [(url: TransferURL, time: Timestamp)] = []
        /// By `CacheKey.url`.
        var times: [String: Timestamp] = [:]
        /// All responses requested before this time count as changed.
        var floor: Timestamp?

        var isEmpty: Bool { recent.isEmpty && times.isEmpty && floor == nil }
    }

    /// The most changes that are kept apart.
    static let most = 10_000

    private let state = Lock(State())

    /// Creates an empty record of changes.
    package init() {}

    /// Notes that a request changed a URL.
    ///
    /// - Parameters:
    ///   - url: The changed URL.
    ///   - time: When the origin's response arrived.
    func note(_ url: TransferURL, at time: Timestamp) {
        state.withLock { state in
            if state.recent.count + state.times.count == Self.most {
                state.recent = []
                state.times = [:]
                state.floor = time
            } else {
                state.recent.append((url, time))
            }
        }
    }

    /// Whether a URL was changed after it was requested.
    ///
    /// - Parameters:
    ///   - key: The key of the requested URL.
    ///   - time: When it was requested.
    /// - Returns: Whether the response must not be stored.
    func haveTouched(_ key: CacheKey, since time: Timestamp) -> Bool {
        state.withLock { state in
            if state.isEmpty { return false }
            for (url, time) in state.recent { state.times[CacheKey.text(of: url)] = time }
            state.recent = []
            return [state.floor, state.times[key.url]].contains { $0.map { time < $0 } ?? false }
        }
    }
}
