internal import TransferModel

/// How fast a run has been over the last seconds.
struct RateWindow: Sendable {
    private struct Sample {
        var time: MonotonicTime
        var bytes: Int64
        var tasks: Int
    }

    /// How far back the window reaches.
    private static let length = Duration.seconds(5)

    private var samples: [Sample] = []

    /// Notes how many bytes and tasks were done at a time; times must not go back.
    mutating func add(bytes: Int64, tasks: Int, at time: MonotonicTime) {
        samples.append(Sample(time: time, bytes: bytes, tasks: tasks))
        let inside = samples.firstIndex { time - $0.time <= Self.length } ?? 0
        // The last sample outside the window is kept: the window begins in the middle of its
        // stretch.
        samples.removeFirst(max(0, inside - 1))
    }

    /// nil before there are two samples; never negative, though an attempt that starts again takes
    /// bytes back.
    var bytesPerSecond: Double? {
        perSecond { max(0, Double($1.bytes) - Double($0.bytes)) }
    }

    /// nil before there are two samples.
    var tasksPerSecond: Double? {
        perSecond { Double($1.tasks - $0.tasks) }
    }

    private func perSecond(_ difference: (Sample, Sample) -> Double) -> Double? {
        guard let first = samples.first, let last = samples.last, first.time < last.time else {
            return nil
        }
        return difference(first, last) * 1e9 / Double((last.time - first.time).nanoseconds)
    }
}
