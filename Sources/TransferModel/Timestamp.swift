/// A point in wall-clock time, in whole microseconds since 1970-01-01T00:00:00Z.
///
/// Reports write it as RFC 3339 in UTC with six fractional digits. Valid for the years 0000 to 9999.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Microseconds since the Unix epoch; negative before it.
    package var microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The microseconds from `earlier` to this time.
    package func microseconds(since earlier: Timestamp) -> Int64 {
        microseconds - earlier.microseconds
    }

    /// Appends `2026-11-21T01:04:03.123456Z` as ASCII.
    package func appendRFC3339(to output: inout [UInt8]) {
        let (days, microsecondOfDay) = microseconds.flooredDivision(by: 86_400_000_000)
        let date = CivilDate(daysSinceEpoch: days)
        output.appendDecimal(date.year, width: 4)
        output.append(UInt8(ascii: "-"))
        output.appendDecimal(date.month, width: 2)
        output.append(UInt8(ascii: "-"))
        output.appendDecimal(date.day, width: 2)
        output.append(UInt8(ascii: "T"))
        let second = microsecondOfDay / 1_000_000
        output.appendDecimal(second / 3600, width: 2)
        output.append(UInt8(ascii: ":"))
        output.appendDecimal(second / 60 % 60, width: 2)
        output.append(UInt8(ascii: ":"))
        output.appendDecimal(second % 60, width: 2)
        output.append(UInt8(ascii: "."))
        output.appendDecimal(microsecondOfDay % 1_000_000, width: 6)
        output.append(UInt8(ascii: "Z"))
    }

    /// The time as RFC 3339 text, for messages and tests.
    package var rfc3339: String {
        var bytes: [UInt8] = []
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension [UInt8] {
    /// Appends `value` in decimal, padded with zeros to `width` digits; `value` must not be negative.
    package mutating func appendDecimal(_ value: Int64, width: Int) {
        var divisor: Int64 = 1
        for _ in 1..<Swift.max(width, 1) { divisor *= 10 }
        var rest = value
        while divisor > 0 {
            append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest / divisor % 10))
            rest %= divisor
            divisor /= 10
        }
    }
}
