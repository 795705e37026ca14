import Testing
import TransferModel

@Suite struct CivilDateTests {
    @Test(
        arguments: [
            (0, 1970, 1, 1), (-1, 1969, 12, 31), (59, 1970, 3, 1), (11_016, 2000, 2, 29),
            (11_017, 2000, 3, 1), (20_778, 2026, 11, 21), (-719_468, 0, 3, 1),
            (-719_528, 0, 1, 1), (-25_508, 1900, 3, 1), (2_932_896, 9999, 12, 31),
            (-720_000, -2, 9, 16),
        ] as [(Int64, Int64, Int64, Int64)]
    )
    func `a number of days is one day and back`(
        days: Int64,
        year: Int64,
        month: Int64,
        day: Int64
    ) {
        let date = CivilDate(year: year, month: month, day: day)
        #expect(CivilDate(daysSinceEpoch: days) == date)
        #expect(date.daysSinceEpoch == days)
    }

    @Test func `every day of 800 years follows the one before`() {
        var previous = CivilDate(daysSinceEpoch: -146_097)
        for days in Int64(-146_096)...146_097 {
            let date = CivilDate(daysSinceEpoch: days)
            let isNext =
                date.day == previous.day + 1 && date.month == previous.month
                || date.day == 1 && (date.month == previous.month + 1 || date.month == 1)
            #expect(isNext && date.daysSinceEpoch == days, "day \(days)")
            previous = date
        }
    }
}
