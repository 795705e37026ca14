internal import SystemKit
internal import TransferModel

/// What orders of this run have changed at its origin, and when: what was asked for before is not
/// stored any more.
///
/// Its methods may be called from any thread.
package final class OriginChanges: Sendable {
    private struct State {
        /// Nobody has asked since: their keys are not made yet.
        var recent: [(url: HTTPURL, time: Timestamp)] = []
        /// By `CacheKey.url`.
        var times: [String: Timestamp] = [:]
        /// Whatever was asked for up to then counts as changed.
        var floor: Timestamp?

        var isEmpty: Bool { recent.isEmpty && times.isEmpty && floor == nil }
    }

    /// So many are told apart.
    static let most = 10_000

    private let state = Lock(State())

    package init() {}

    /// Something was changed.
    ///
    /// - Parameters:
    ///   - url: What it is known by.
    ///   - time: When its origin had said so.
    func note(_ url: HTTPURL, at time: Timestamp) {
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

    /// Whether something was changed after it was asked for.
    ///
    /// - Parameters:
    ///   - key: What was asked for.
    ///   - time: When that was.
    /// - Returns: Whether it is of no use to store it.
    func haveTouched(_ key: CacheKey, since time: Timestamp) -> Bool {
        state.withLock { state in
            if state.isEmpty { return false }
            for (url, time) in state.recent { state.times[CacheKey.text(of: url)] = time }
            state.recent = []
            return [state.floor, state.times[key.url]].contains { $0.map { time < $0 } ?? false }
        }
    }
}
