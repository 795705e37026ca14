/// Reads the three date formats of HTTP (RFC 9110 §5.6.7).
package enum HTTPDate {
    /// The time that `text` names, or nil when it is none of IMF-fixdate, RFC 850 and asctime.
    ///
    /// Capitals are not told apart, as RFC 9111 §4.2 advises. A two-digit year is taken as the one within 50 years of
    /// `now` (RFC 9110 §5.6.7).
    package static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        let text = text.lowercased()
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let weekday = words.first else { return nil }
        if words.count == 6, words[5] == "gmt", isDay(weekday, among: shortDays, and: ",") {
            // Sun, 06 Nov 1994 08:49:37 GMT
            guard let year = number(words[3], digits: [4]) else { return nil }
            return time(year: year, month: words[2], day: words[1], clock: words[4])
        }
        if words.count == 4, words[3] == "gmt", isDay(weekday, among: longDays, and: ",") {
            // Sunday, 06-Nov-94 08:49:37 GMT
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, let year = number(date[2], digits: [2]) else { return nil }
            let full = fullYear(year, now: now)
            return time(year: full, month: date[1], day: date[0], clock: words[2])
        }
        guard isDay(weekday, among: shortDays, and: "") else { return nil }
        // Sun Nov  6 08:49:37 1994
        let hasShortDay = words.count == 6 && words[2].isEmpty && words[3].utf8.count == 1
        guard hasShortDay || words.count == 5,
            let year = number(words[words.count - 1], digits: [4])
        else { return nil }
        let day = words[words.count - 3]
        return time(year: year, month: words[1], day: day, clock: words[words.count - 2])
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let shortDays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let longDays = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    private static func isDay(
        _ word: Substring,
        among names: [String],
        and ending: String
    ) -> Bool {
        word.hasSuffix(ending) && names.contains(String(word.dropLast(ending.count)))
    }

    private static func fullYear(_ year: Int64, now: Timestamp) -> Int64 {
        let thisYear = CivilDate(daysSinceEpoch: now.microseconds / 86_400_000_000).year
        let candidate = thisYear - thisYear % 100 + year
        if candidate > thisYear + 50 { return candidate - 100 }
        return candidate <= thisYear - 50 ? candidate + 100 : candidate
    }

    private static func time(
        year: Int64,
        month: Substring,
        day: Substring,
        clock: Substring
    ) -> Timestamp? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard
            let month = months.firstIndex(of: String(month)),
            let day = number(day, digits: [1, 2]), (1...31).contains(day),
            parts.count == 3,
            let hour = number(parts[0], digits: [2]), hour < 24,
            let minute = number(parts[1], digits: [2]), minute < 60,
            let second = number(parts[2], digits: [2]), second <= 60
        else { return nil }
        let date = CivilDate(year: year, month: Int64(month) + 1, day: day)
        guard date.isInCalendar else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second
        return Timestamp(microseconds: seconds * 1_000_000)
    }

    private static func number(_ text: Substring, digits: Set<Int>) -> Int64? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int64(text)
    }
}
