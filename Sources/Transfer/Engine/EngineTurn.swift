internal import SystemKit
internal import TransferModel

/// When an engine thread last woke: a cheap approximate time for frequent events.
final class EngineTurn {
    private(set) var time = MonotonicTime.now
    /// The time at which an attempt wants a check even without any event.
    private var lookTime = MonotonicTime(nanoseconds: .max)
    /// The downloads over several connections that began since the last `takeDownloads`.
    private var downloads: [any SegmentPart] = []

    /// The keys of the attempts that decode more of their bodies outside of libcurl's callbacks.
    private var decoding: [Int] = []

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

    /// Lets an attempt decode more of its body when others have had their turn.
    func decodeLater(_ key: Int) { decoding.append(key) }

    /// Takes the keys of the attempts that are to decode more of their bodies.
    func takeDecoding() -> [Int] {
        if decoding.isEmpty { return [] }
        defer { decoding = [] }
        return decoding
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
