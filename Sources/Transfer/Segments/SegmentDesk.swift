internal import TransferModel

/// The downloads of an engine thread that have several connections each.
struct SegmentDesk {
    private var downloads: [SegmentedDownload] = []
    private var keyCount = 0
    /// When the downloads must get a turn though nothing happens; `max` for never.
    private(set) var nextTime = MonotonicTime(nanoseconds: .max)

    /// Whether a download must get a turn at once.
    var isDue: Bool { downloads.contains { $0.wantsTurn } }

    /// Adds downloads that have begun.
    mutating func add(_ begun: [SegmentedDownload]) {
        if !begun.isEmpty { downloads += begun }
    }

    /// A key for an attempt's request of a part: none of a task, and none of a refresh, whose keys
    /// count down from -1.
    mutating func takeKey() -> Int {
        keyCount += 1
        return Int.min + keyCount
    }

    /// The downloads whose turn has come.
    mutating func takeDue(at now: MonotonicTime) -> [SegmentedDownload] {
        guard !downloads.isEmpty else { return [] }
        downloads.removeAll { $0.isOver }
        let isTime = now >= nextTime
        return downloads.filter { isTime || $0.wantsTurn }
    }

    /// Finds the time of the next turn.
    mutating func schedule(after now: MonotonicTime) {
        nextTime =
            downloads.lazy.compactMap { $0.nextCheck(after: now) }.min()
            ?? MonotonicTime(nanoseconds: .max)
    }

    /// Lets the downloads look for free connections, because another attempt has begun.
    func wake() { for download in downloads { download.wake() } }

    /// Whether there is none.
    var isEmpty: Bool { downloads.isEmpty }
}
