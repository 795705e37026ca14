/// Turns monotonic readings into dates, so that dates stay in order when the wall clock is stepped.
package struct RunClock: Sendable, Hashable {
    /// The wall clock's reading at the start.
    package var wall: Timestamp
    /// The monotonic reading that belongs to `wall`.
    package var monotonic: MonotonicTime
    /// How far apart the two readings may lie, microseconds.
    package var maximumSkewMicroseconds: Int64

    package init(wall: Timestamp, monotonic: MonotonicTime, maximumSkewMicroseconds: Int64) {
        self.wall = wall
        self.monotonic = monotonic
        self.maximumSkewMicroseconds = maximumSkewMicroseconds
    }

    /// The date of a monotonic reading; readings that lie impossibly far away give the nearest
    /// possible date.
    package func timestamp(of time: MonotonicTime) -> Timestamp {
        let (elapsed, overflow) =
            time.nanoseconds.subtractingReportingOverflow(monotonic.nanoseconds)
        let nearest = overflow ? (time < monotonic ? .min : .max) : elapsed
        let (sum, carry) = wall.microseconds.addingReportingOverflow(nearest / 1000)
        return Timestamp(microseconds: carry ? (nearest < 0 ? .min : .max) : sum)
    }
}
