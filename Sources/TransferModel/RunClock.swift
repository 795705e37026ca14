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

    /// The date of a monotonic reading.
    package func timestamp(of time: MonotonicTime) -> Timestamp {
        Timestamp(
            microseconds: wall.microseconds
                + (time.nanoseconds - monotonic.nanoseconds) / 1000
        )
    }
}
