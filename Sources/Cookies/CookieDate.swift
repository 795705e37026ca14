internal import SystemKit
internal import TransferModel

/// Parses the dates of `Expires`, which vary more than HTTP allows (RFC 6265bis §5.1.1).
enum CookieDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// The time in `text`; nil for a missing part or an impossible date.
    static func parse(_ text: Substring) -> Timestamp? {
        var time: Int64?
        var day: Int64?
        var month: Int64?
        var year: Int64?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = secondsOfDay(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, time >= 0, let day, let month, var year else { return nil }
        switch year {
        case 0...69: year += 2000
        case 70...99: year += 1900
        default: break
        }
        let date = CivilDate(year: year, month: month, day: day)
        guard year >= 1601, (1...31).contains(day), date.isInCalendar else { return nil }
        return Timestamp(microseconds: (date.daysSinceEpoch * 86_400 + time) * 1_000_000)
    }

    /// Any byte except digits, letters, colons, control bytes and non-ASCII.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The number at the beginning of a token, if its digit count is in the range.
    private static func number(
        _ token: Substring.UTF8View.SubSequence,
        digits: ClosedRange<Int>
    ) -> Int64? {
        let number = token.prefix(while: \.isDigit)
        return digits.contains(number.count) ? Int64(Substring(number)) : nil
    }

    private static func monthNumber(_ token: Substring.UTF8View.SubSequence) -> Int64? {
        guard let name = String(token.prefix(3))?.lowercased(),
            let index = months.firstIndex(of: name)
        else { return nil }
        return Int64(index) + 1
    }

    /// The second of the day for `12:34:56`; -1 for an impossible time, nil for anything else.
    private static func secondsOfDay(_ token: Substring.UTF8View.SubSequence) -> Int64? {
        let fields = token.split(
            separator: UInt8(ascii: ":"),
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard fields.count == 3, fields[0].allSatisfy(\.isDigit), fields[1].allSatisfy(\.isDigit),
            let hour = number(fields[0], digits: 1...2),
            let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        guard hour < 24, minute < 60, second < 60 else { return -1 }
        return hour * 3600 + minute * 60 + second
    }
}
