internal import SystemKit
internal import TransferModel

/// When an engine thread last woke: a cheap approximate time for frequent events.
final class EngineTurn {
    private(set) var time = MonotonicTime.now
    /// The time at which an attempt wants a check even without any event.
    private var lookTime = MonotonicTime(nanoseconds: .max)
    /// The downloads over several connections that began since the last `takeDownloads`.
    private var downloads: [any SegmentPart] = []

    /// The attempts that continue when the others have had their turn: their keys in their order,
    /// and the keys that wait.
    private var order: [Int] = []
    private var waiting: Set<Int> = []
    /// How long attempts take their turns before the thread looks at all its sockets again.
    private static let length = Duration.milliseconds(20)

    /// Notes that the thread has woken.
    func begin() { time = .now }

    /// Makes the thread check its attempts at a time.
    func look(at time: MonotonicTime) {
        if time < lookTime { lookTime = time }
    }

    /// Takes the time of the next check; later calls need another `look`.
    func takeLookTime() -> MonotonicTime {
        defer { lookTime = MonotonicTime(nanoseconds: .max) }
        return lookTime
    }

    /// Whether an attempt waits for others to have their turn.
    var hasWaiting: Bool { !waiting.isEmpty }

    /// Lets an attempt continue when others have had their turn.
    func continueLater(_ key: Int) {
        if waiting.insert(key).inserted { order.append(key) }
    }

    /// Whether an attempt has more to do when others have had their turn: its server is not silent.
    func isWaiting(_ key: Int) -> Bool { waiting.contains(key) }

    /// Calls `body` with the keys of the attempts whose turn it is: each that waits now, as far as
    /// the time of a turn is enough.
    func takeWaiting(_ body: (Int) -> Void) {
        guard !order.isEmpty else { return }
        let end = MonotonicTime.now + Self.length
        let keys = order
        order = []
        for (index, key) in keys.enumerated() where waiting.remove(key) != nil {
            body(key)
            guard MonotonicTime.now >= end else { continue }
            // Before the attempts that wait again.
            order.insert(contentsOf: keys[(index + 1)...], at: 0)
            return
        }
    }

    /// Forgets an attempt that has nothing more to do.
    func forget(_ key: Int) {
        guard hasWaiting, waiting.remove(key) != nil else { return }
        order.removeAll { $0 == key }
    }

    /// Notes that a download over several connections begins.
    func begin(_ download: any SegmentPart) { downloads.append(download) }

    /// Takes the downloads that have begun.
    func takeDownloads() -> [any SegmentPart] {
        if downloads.isEmpty { return [] }
        defer { downloads = [] }
        return downloads
    }
}
