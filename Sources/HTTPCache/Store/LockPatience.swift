/// How long to wait for the locks of a store.
///
/// A stopped process keeps its lock. After one wait in vain, this process does not wait for that
/// lock for a while, so that it does not delay every try.
struct LockPatience: Sendable {
    /// The longest time another process may need to change a locked file, nanoseconds.
    static let longestWait: Int64 = 100_000_000
    /// How long a wait in vain is remembered, nanoseconds.
    static let memory: Int64 = 60_000_000_000

    /// For each lock name, the time until which the lock is not waited for.
    private var impatientUntil: [String: Int64] = [:]

    /// The time until which to wait for a lock; `now` for no wait.
    ///
    /// - Parameters:
    ///   - name: The lock's name.
    ///   - now: A reading of `CLOCK_MONOTONIC` in nanoseconds, like all times here.
    /// - Returns: A time on the same clock.
    func deadline(for name: String, at now: Int64) -> Int64 {
        if let end = impatientUntil[name], now < end { return now }
        return now + Self.longestWait
    }

    /// Notes that a lock was not available.
    ///
    /// - Parameters:
    ///   - name: The lock's name.
    ///   - start: When the lock was requested.
    mutating func didFail(_ name: String, askedAt start: Int64) {
        // A failure without a wait says nothing new.
        guard deadline(for: name, at: start) > start else { return }
        impatientUntil[name] = start + Self.longestWait + Self.memory
    }

    /// Notes that a lock was taken.
    mutating func didTake(_ name: String) { impatientUntil[name] = nil }
}
