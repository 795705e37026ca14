internal import SystemKit

/// Reads the three date formats of HTTP (RFC 9110 §5.6.7).
package enum HTTPDate {
    /// The time in `text`; nil unless it has the format of IMF-fixdate, RFC 850 or asctime.
    ///
    /// Case is ignored, as RFC 9111 §4.2 advises. A two-digit year means the year within 50 years
    /// of `now` (RFC 9110 §5.6.7).
    package static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        parse(text.utf8.span, now: now)
    }

    /// The time in the bytes of a field's value.
    package static func parse(_ text: Span<UInt8>, now: Timestamp) -> Timestamp? {
        var cursor = Cursor()
        guard cursor.takeName(of: shortDays, from: text) != nil else { return nil }
        let time: Timestamp?
        if cursor.take(", ", from: text) {
            time = fixedDate(&cursor, text)
        } else if cursor.take(" ", from: text) {
            time = asctime(&cursor, text)
        } else {
            time = longDate(&cursor, text, now)
        }
        return cursor.position == text.count ? time : nil
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` from the day on.
    private static func fixedDate(_ cursor: inout Cursor, _ text: Span<UInt8>) -> Timestamp? {
        guard let day = cursor.takeNumber(1...2, from: text), cursor.take(" ", from: text),
            let month = cursor.takeName(of: months, from: text), cursor.take(" ", from: text),
            let year = cursor.takeNumber(4...4, from: text), cursor.take(" ", from: text),
            let clock = cursor.takeClock(from: text), cursor.take(" gmt", from: text)
        else { return nil }
        return time(CivilDate(year: year, month: month, day: day), clock)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`, from its beginning.
    private static func longDate(
        _ cursor: inout Cursor,
        _ text: Span<UInt8>,
        _ now: Timestamp
    ) -> Timestamp? {
        cursor = Cursor()
        guard longDays.contains(where: { cursor.take($0, from: text) }),
            cursor.take(", ", from: text),
            let day = cursor.takeNumber(1...2, from: text), cursor.take("-", from: text),
            let month = cursor.takeName(of: months, from: text), cursor.take("-", from: text),
            let year = cursor.takeNumber(2...2, from: text), cursor.take(" ", from: text),
            let clock = cursor.takeClock(from: text), cursor.take(" gmt", from: text)
        else { return nil }
        return time(CivilDate(year: fullYear(year, now: now), month: month, day: day), clock)
    }

    /// `Sun Nov  6 08:49:37 1994` from the month on.
    private static func asctime(_ cursor: inout Cursor, _ text: Span<UInt8>) -> Timestamp? {
        guard let month = cursor.takeName(of: months, from: text), cursor.take(" ", from: text)
        else { return nil }
        let isPadded = cursor.take(" ", from: text)
        guard let day = cursor.takeNumber(isPadded ? 1...1 : 1...2, from: text),
            cursor.take(" ", from: text), let clock = cursor.takeClock(from: text),
            cursor.take(" ", from: text), let year = cursor.takeNumber(4...4, from: text)
        else { return nil }
        return time(CivilDate(year: year, month: month, day: day), clock)
    }

    /// Three letters for each month.
    private static let months = "janfebmaraprmayjunjulaugsepoctnovdec"
    private static let shortDays = "montuewedthufrisatsun"
    private static let longDays = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    private static func fullYear(_ year: Int64, now: Timestamp) -> Int64 {
        let thisYear = CivilDate(daysSinceEpoch: now.microseconds / 86_400_000_000).year
        let candidate = thisYear - thisYear % 100 + year
        if candidate > thisYear + 50 { return candidate - 100 }
        return candidate <= thisYear - 50 ? candidate + 100 : candidate
    }

    private static func time(_ date: CivilDate, _ secondOfDay: Int64) -> Timestamp? {
        guard date.isInCalendar else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + secondOfDay
        return Timestamp(microseconds: seconds * 1_000_000)
    }

    /// Reads a date piece by piece; a failed step does not move the position.
    private struct Cursor {
        private(set) var position = 0

        /// Skips a text given in lower case, in any case.
        mutating func take(_ expected: String, from text: Span<UInt8>) -> Bool {
            let expected = expected.utf8.span
            guard text.count - position >= expected.count else { return false }
            for index in expected.indices
            where text[position + index].asciiLowercased != expected[index] {
                return false
            }
            position += expected.count
            return true
        }

        /// Skips one of several three-letter names; returns its number, from 1.
        mutating func takeName(of names: String, from text: Span<UInt8>) -> Int64? {
            guard text.count - position >= 3 else { return nil }
            let names = names.utf8.span
            let first = text[position].asciiLowercased
            let second = text[position + 1].asciiLowercased
            let third = text[position + 2].asciiLowercased
            var start = 0
            while start < names.count {
                if names[start] == first, names[start + 1] == second, names[start + 2] == third {
                    position += 3
                    return Int64(start / 3 + 1)
                }
                start += 3
            }
            return nil
        }

        /// Reads all digits, up to the largest count.
        mutating func takeNumber(_ digits: ClosedRange<Int>, from text: Span<UInt8>) -> Int64? {
            var number: Int64 = 0
            var end = position
            while end < text.count, end - position < digits.upperBound, text[end].isDigit {
                number = number * 10 + Int64(text[end] - 48)
                end += 1
            }
            guard end - position >= digits.lowerBound else { return nil }
            position = end
            return number
        }

        /// Reads `08:49:37`; returns the second of the day, which for a leap second is the next
        /// minute's first.
        mutating func takeClock(from text: Span<UInt8>) -> Int64? {
            guard let hour = takeNumber(2...2, from: text), hour < 24, take(":", from: text),
                let minute = takeNumber(2...2, from: text), minute < 60, take(":", from: text),
                let second = takeNumber(2...2, from: text), second <= 60
            else { return nil }
            return hour * 3600 + minute * 60 + second
        }
    }
}
