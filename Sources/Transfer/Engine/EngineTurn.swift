internal import SystemKit
internal import TransferModel

/// When an engine thread last woke: a cheap approximate time for frequent events.
final class EngineTurn {
    private(set) var time = MonotonicTime.now
    /// The time at which an attempt wants a check even without any event.
    private var lookTime = MonotonicTime(nanoseconds: .max)
    /// The downloads over several connections that began since the last `takeDownloads`.
    private var downloads: [any SegmentPart] = []

    /// The keys of the attempts that continue when others have had their turn, in their order.
    private var waiting: [Int] = []

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
        if !waiting.contains(key) { waiting.append(key) }
    }

    /// Takes the key of the attempt whose turn it is; one at a time.
    func takeNext() -> Int? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Forgets an attempt that has nothing more to do.
    func forget(_ key: Int) {
        if !waiting.isEmpty { waiting.removeAll { $0 == key } }
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
