/// Writes times as RFC 3339 in UTC with six fractional digits, such as `2026-11-21T01:04:03.123456Z`.
///
/// Remembers the text of the last second, because the times of one transfer lie close together.
package struct TimestampFormatter: Sendable {
    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let writableSeconds: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    private var second: Int64?
    /// The last text; its first 20 bytes are the second and the decimal point.
    private var text = InlineArray<27, UInt8>(repeating: UInt8(ascii: "Z"))

    package init() {}

    /// The 27 ASCII bytes of `time`.
    package mutating func text(of time: Timestamp) -> InlineArray<27, UInt8> {
        let (quotient, remainder) = time.microseconds.flooredDivision(by: 1_000_000)
        let nearest = quotient.clamped(to: Self.writableSeconds)
        if nearest != second { remember(nearest) }
        let fraction = quotient == nearest ? remainder : (quotient < nearest ? 0 : 999_999)
        put(fraction, width: 6, at: 20)
        return text
    }

    private mutating func remember(_ second: Int64) {
        self.second = second
        let (days, secondOfDay) = second.flooredDivision(by: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        put(date.year, width: 4, at: 0)
        put(date.month, width: 2, at: 5)
        put(date.day, width: 2, at: 8)
        put(secondOfDay / 3600, width: 2, at: 11)
        put(secondOfDay / 60 % 60, width: 2, at: 14)
        put(secondOfDay % 60, width: 2, at: 17)
        text[4] = UInt8(ascii: "-")
        text[7] = UInt8(ascii: "-")
        text[10] = UInt8(ascii: "T")
        text[13] = UInt8(ascii: ":")
        text[16] = UInt8(ascii: ":")
        text[19] = UInt8(ascii: ".")
    }

    /// Writes the last `width` decimal digits of `value`, padded with zeros; `value` must not be negative.
    private mutating func put(_ value: Int64, width: Int, at start: Int) {
        var rest = UInt64(value)
        for index in (start..<start + width).reversed() {
            text[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
