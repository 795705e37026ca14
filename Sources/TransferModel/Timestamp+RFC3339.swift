internal import SystemKit

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
}
