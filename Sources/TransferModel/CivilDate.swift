internal import SystemKit

/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Sendable, Hashable {
    /// The astronomical year: 0 is 1 BC.
    package var year: Int64
    /// 1 to 12.
    package var month: Int64
    /// 1 to 31.
    package var day: Int64

    /// Creates a day from its parts, which need not be in the calendar.
    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Whether the calendar has this day.
    package var isInCalendar: Bool { CivilDate(daysSinceEpoch: daysSinceEpoch) == self }

    /// The day `daysSinceEpoch` days after 1970-01-01.
    ///
    /// Counts in eras of 400 years that begin on March 1, so that a leap day ends its year.
    package init(daysSinceEpoch: Int64) {
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days from 1970-01-01 to this day.
    package var daysSinceEpoch: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension CivilDate: CustomStringConvertible {
    /// A `full-date` of RFC 3339 §5.6: `2026-01-02`.
    package var description: String {
        "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }
}
