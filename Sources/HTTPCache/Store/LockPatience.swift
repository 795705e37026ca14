/// For how long the locks of a store are waited for.
///
/// A stopped process keeps its lock for as long as it is stopped, and must not hold up everybody at
/// each try: who has waited for a lock in vain asks for it without waiting for a while.
struct LockPatience: Sendable {
    /// How long another process may take to change what a lock is for, nanoseconds.
    static let longestWait: Int64 = 100_000_000
    /// For how long a wait in vain is remembered, nanoseconds.
    static let memory: Int64 = 60_000_000_000

    /// By the name of the lock: up to when it is not waited for.
    private var impatientUntil: [String: Int64] = [:]

    /// Up to when a lock is waited for; the present when it is not.
    ///
    /// - Parameters:
    ///   - name: The lock's.
    ///   - now: A reading of `CLOCK_MONOTONIC` in nanoseconds, as all times here.
    /// - Returns: Such a time.
    func deadline(for name: String, at now: Int64) -> Int64 {
        if let end = impatientUntil[name], now < end { return now }
        return now + Self.longestWait
    }

    /// A lock was not to be had.
    ///
    /// - Parameters:
    ///   - name: The lock's.
    ///   - start: When it was asked for.
    mutating func didFail(_ name: String, askedAt start: Int64) {
        // What was not waited for tells nothing new.
        guard deadline(for: name, at: start) > start else { return }
        impatientUntil[name] = start + Self.longestWait + Self.memory
    }

    /// A lock was taken.
    mutating func didTake(_ name: String) { impatientUntil[name] = nil }
}
