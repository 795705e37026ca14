internal import TransferModel

/// The speed of a run over the last seconds.
struct RateWindow: Sendable {
    private struct Sample {
        var time: MonotonicTime
        var bytes: Int64
        var tasks: Int
    }

    /// The length of the window.
    private static let length = Duration.seconds(5)

    private var samples: [Sample] = []

    /// Adds the bytes and tasks done at a time; times must not decrease.
    mutating func add(bytes: Int64, tasks: Int, at time: MonotonicTime) {
        samples.append(Sample(time: time, bytes: bytes, tasks: tasks))
        let inside = samples.firstIndex { time - $0.time <= Self.length } ?? 0
        // Keep the last sample outside: the window begins within its interval.
        samples.removeFirst(max(0, inside - 1))
    }

    /// nil with fewer than two samples; never negative, although a restarted attempt reduces the
    /// count.
    var bytesPerSecond: Double? {
        perSecond { max(0, Double($1.bytes) - Double($0.bytes)) }
    }

    /// nil with fewer than two samples.
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
