internal import SystemKit

/// A wall-clock time, in whole microseconds since 1970-01-01T00:00:00Z.
///
/// Reports write RFC 3339 in UTC with six fractional digits. Text exists for the years 0000 to
/// 9999; other times are clamped to them.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Microseconds since the Unix epoch; negative before it.
    package var microseconds: Int64

    /// Creates a time from microseconds since the Unix epoch.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Whether the left time is earlier.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The microseconds from `earlier` to this time, saturated.
    package func microseconds(since earlier: Timestamp) -> Int64 {
        microseconds.subtractingSaturated(earlier.microseconds)
    }
}

extension Timestamp {
    /// Reads the text of `rfc3339`: UTC with six fractional digits; nil for any other text.
    package init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 27 else { return nil }
        let marks: [(Int, Character)] = [
            (4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "."), (26, "Z"),
        ]
        for (index, mark) in marks where Character(Unicode.Scalar(bytes[index])) != mark {
            return nil
        }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte.isDigit else { return nil }
                value = value * 10 + Int64(byte - 48)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            let fraction = number(20..<26), hour < 24, minute < 60, second < 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isInCalendar else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + hour * 3_600 + minute * 60 + second
        self.init(microseconds: seconds * 1_000_000 + fraction)
    }

    /// The time as RFC 3339 text, for messages and tests.
    package var rfc3339: String {
        var formatter = TimestampFormatter()
        let text = formatter.text(of: self)
        return String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
    }
}

/// Writes times as RFC 3339 in UTC with six fractional digits, such as
/// `2026-11-21T01:04:03.123456Z`.
///
/// It caches the text of the last second, because the times of one transfer are close together.
package struct TimestampFormatter: Sendable {
    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let writableSeconds: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    private var second: Int64?
    /// The last text; its first 20 bytes are the second and the decimal point.
    private var text = InlineArray<27, UInt8>(repeating: UInt8(ascii: "Z"))

    /// Creates a formatter with an empty cache.
    package init() {}

    /// The 27 ASCII bytes of `time`.
    package mutating func text(of time: Timestamp) -> InlineArray<27, UInt8> {
        let (quotient, remainder) = time.microseconds.flooredDivision(by: 1_000_000)
        let nearest = quotient.clamped(to: Self.writableSeconds)
        if nearest != second { remember(nearest) }
        let fraction = quotient == nearest ? remainder : (quotient < nearest ? 0 : 999_999)
        put(fraction / 10_000, at: 20)
        put(fraction / 100 % 100, at: 22)
        put(fraction % 100, at: 24)
        return text
    }

    private mutating func remember(_ second: Int64) {
        self.second = second
        let (days, secondOfDay) = second.flooredDivision(by: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        put(date.year / 100, at: 0)
        put(date.year % 100, at: 2)
        put(date.month, at: 5)
        put(date.day, at: 8)
        put(secondOfDay / 3600, at: 11)
        put(secondOfDay / 60 % 60, at: 14)
        put(secondOfDay % 60, at: 17)
        text[4] = UInt8(ascii: "-")
        text[7] = UInt8(ascii: "-")
        text[10] = UInt8(ascii: "T")
        text[13] = UInt8(ascii: ":")
        text[16] = UInt8(ascii: ":")
        text[19] = UInt8(ascii: ".")
    }

    /// Writes the two decimal digits of a number from 0 to 99.
    private mutating func put(_ value: Int64, at start: Int) {
        let (tens, ones) = UInt8(truncatingIfNeeded: value).quotientAndRemainder(dividingBy: 10)
        text[start] = UInt8(ascii: "0") &+ tens
        text[start + 1] = UInt8(ascii: "0") &+ ones
    }
}

extension Int64 {
    /// The quotient rounded down and the nonnegative remainder.
    package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
