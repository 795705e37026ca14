internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// A point in time as `!!timestamp` writes it (https://yaml.org/type/timestamp.html), and as
/// JSONEncoder does.
///
/// `2026-11-21`, `2026-11-21T08:30:00Z`, `2026-11-21 8:30:00.25 +01:00`; without a zone it is UTC.
struct TimestampText: Hashable {
    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down; within the years 0000 to 9999.
    let seconds: Int64
    /// The rest, 0 to 999,999,999.
    let nanoseconds: Int64

    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let writable: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    static func parse(_ text: String) throws(ValueFault) -> TimestampText {
        var scan = Scan(rest: text.utf8[...])
        guard let date = scan.date(), let time = scan.time(isAlone: text.utf8.count == 10),
            scan.rest.isEmpty,
            case let seconds = date.daysSinceEpoch * 86_400 + time.seconds,
            writable.contains(seconds)
        else {
            throw ValueFault(
                .badTimestamp,
                "`\(text.excerpt)` is not a timestamp",
                help: "write a date such as `2026-11-21` or a time such as `2026-11-21T08:30:00Z`"
            )
        }
        return TimestampText(seconds: seconds, nanoseconds: time.nanoseconds)
    }

    /// RFC 3339 in UTC without a fraction, such as `2026-11-21T08:30:00Z`.
    var iso8601: String {
        String(Timestamp(microseconds: seconds * 1_000_000).rfc3339.prefix(19)) + "Z"
    }

    /// The seconds since 1970, exactly.
    var secondsSince1970: String { Self.decimal(seconds, nanoseconds, digits: 9) }

    /// The milliseconds since 1970, exactly.
    var millisecondsSince1970: String {
        Self.decimal(seconds * 1000 + nanoseconds / 1_000_000, nanoseconds % 1_000_000, digits: 6)
    }

    /// The seconds since 2001-01-01T00:00:00Z, exactly: how Foundation's `Date` encodes itself.
    var secondsSinceReferenceDate: String {
        Self.decimal(seconds - 978_307_200, nanoseconds, digits: 9)
    }

    /// `whole` and a fraction of so many digits, which counts upwards also from a negative number.
    private static func decimal(_ whole: Int64, _ fraction: Int64, digits: Int) -> String {
        guard fraction > 0 else { return String(whole) }
        let unit = (0..<digits).reduce(1 as Int64) { unit, _ in unit * 10 }
        let isNegative = whole < 0
        var rest = (isNegative ? unit - fraction : fraction).padded(to: digits)[...]
        while rest.last == "0" { rest.removeLast() }
        return "\(isNegative ? "-\(-(whole + 1))" : "\(whole)").\(rest)"
    }
}

/// The unread rest of a timestamp.
private struct Scan {
    var rest: Substring.UTF8View

    /// A day that the calendar has.
    mutating func date() -> CivilDate? {
        guard let year = number(4...4), skip("-"), let month = number(1...2), skip("-"),
            let day = number(1...2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        return date.isInCalendar ? date : nil
    }

    /// The time of day less its distance from UTC; midnight when `isAlone` says that the date is
    /// all.
    mutating func time(isAlone: Bool) -> (seconds: Int64, nanoseconds: Int64)? {
        if isAlone { return (0, 0) }
        guard skip("T") || skip("t") || skipBlanks() > 0, let hour = number(1...2), skip(":"),
            let minute = number(2...2), skip(":"), let second = number(2...2), hour < 24,
            minute < 60, second < 60, let nanoseconds = fraction(), let offset = offset()
        else { return nil }
        return (hour * 3600 + minute * 60 + second - offset, nanoseconds)
    }

    /// The fraction of a second, in nanoseconds; 0 without one.
    private mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        let digits = rest.prefix(while: \.isDigit)
        guard digits.count <= 9 else { return nil }
        rest = rest.dropFirst(digits.count)
        return Int64((String(Substring(digits)) + "000000000").prefix(9))
    }

    /// The offset of the zone, in seconds east of UTC; 0 without one.
    private mutating func offset() -> Int64? {
        let blanks = skipBlanks()
        if rest.isEmpty { return blanks == 0 ? 0 : nil }
        if skip("Z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(1...2), hours < 24 else { return nil }
        var minutes: Int64 = 0
        if skip(":") {
            guard let written = number(2...2), written < 60 else { return nil }
            minutes = written
        }
        let offset = hours * 3600 + minutes * 60
        return isWest ? -offset : offset
    }

    /// A number of so many digits.
    private mutating func number(_ width: ClosedRange<Int>) -> Int64? {
        let digits = rest.prefix(width.upperBound).prefix(while: \.isDigit)
        guard width.contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return Int64(Substring(digits))
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func skipBlanks() -> Int {
        let blanks = rest.prefix(while: \.isBlank)
        rest = rest.dropFirst(blanks.count)
        return blanks.count
    }
}
