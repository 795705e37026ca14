/// Writes times as RFC 3339 in UTC with six fractional digits, such as `2026-11-21T01:04:03.123456Z`.
///
/// Remembers the text of the last second, because the times of one transfer lie close together.
package struct TimestampFormatter: Sendable {
    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let writableSeconds: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    private var second: Int64?
    /// The remembered second up to and including the decimal point.
    private var prefix: [UInt8] = []

    package init() {}

    /// Appends `time` as 27 ASCII bytes.
    package mutating func append(_ time: Timestamp, to output: inout [UInt8]) {
        let (quotient, remainder) = time.microseconds.flooredDivision(by: 1_000_000)
        let nearest = quotient.clamped(to: Self.writableSeconds)
        if nearest != second { remember(nearest) }
        let fraction = quotient == nearest ? remainder : (quotient < nearest ? 0 : 999_999)
        let known = prefix.span
        output.append(addingCapacity: known.count + 7) { output in
            for index in known.indices { output.append(known[index]) }
            var divisor: Int64 = 100_000
            for _ in 0..<6 {
                output.append(
                    UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction / divisor % 10)
                )
                divisor /= 10
            }
            output.append(UInt8(ascii: "Z"))
        }
    }

    private mutating func remember(_ second: Int64) {
        self.second = second
        let (days, secondOfDay) = second.flooredDivision(by: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        prefix.removeAll(keepingCapacity: true)
        prefix.appendDecimal(date.year, width: 4)
        prefix.append(UInt8(ascii: "-"))
        prefix.appendDecimal(date.month, width: 2)
        prefix.append(UInt8(ascii: "-"))
        prefix.appendDecimal(date.day, width: 2)
        prefix.append(UInt8(ascii: "T"))
        prefix.appendDecimal(secondOfDay / 3600, width: 2)
        prefix.append(UInt8(ascii: ":"))
        prefix.appendDecimal(secondOfDay / 60 % 60, width: 2)
        prefix.append(UInt8(ascii: ":"))
        prefix.appendDecimal(secondOfDay % 60, width: 2)
        prefix.append(UInt8(ascii: "."))
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

extension [UInt8] {
    /// Appends the last `width` decimal digits of `value`, padded with zeros; `value` must not be negative.
    fileprivate mutating func appendDecimal(_ value: Int64, width: Int) {
        let start = count
        append(contentsOf: repeatElement(UInt8(ascii: "0"), count: width))
        var rest = value
        for index in stride(from: start + width - 1, through: start, by: -1) where rest > 0 {
            self[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
