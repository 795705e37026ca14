internal import TransferModel

/// The downloads of an engine thread that have several connections each.
struct SegmentDesk {
    private var downloads: [SegmentedDownload] = []
    private var keyCount = 0

    /// When a download must get a turn though nothing happens; `max` for never.
    var nextTime: MonotonicTime {
        downloads.lazy.compactMap(\.nextCheck).min() ?? MonotonicTime(nanoseconds: .max)
    }

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
        return downloads.filter { $0.wantsTurn || $0.nextCheck.map { now >= $0 } ?? false }
    }

    /// Lets the downloads look for free connections, because another attempt has begun.
    func wake() { for download in downloads { download.wake() } }

    /// Whether there is none.
    var isEmpty: Bool { downloads.isEmpty }
}
