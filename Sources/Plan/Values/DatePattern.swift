internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// A form of dates by a pattern, as `DateFormatter.dateFormat` of the locale `en_US_POSIX` writes
/// them (https://unicode.org/reports/tr35/tr35-dates.html).
struct DatePattern: Sendable, Hashable {
    /// An offset from UTC as the JSON Schema has it.
    static let offsetPattern = "^(UTC|Z|[+-][0-9]{2}:[0-9]{2})$"

    /// A text, or a field by its letter and the number of times that the letter is written.
    private enum Part: Hashable {
        case text(String)
        case field(Unicode.Scalar, width: Int)
    }

    private let parts: [Part]
    /// East of UTC, seconds.
    var offset: Int64 = 0

    /// The letters of fields and the most times that each may be written.
    private static let fields: [Unicode.Scalar: Int] = [
        "y": 9, "M": 5, "L": 5, "d": 2, "D": 3, "E": 6, "a": 3, "H": 2, "h": 2, "K": 2, "k": 2,
        "m": 2, "s": 2, "S": 9, "Z": 5, "X": 3, "x": 3,
    ]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
    private static let days = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    /// In bytes.
    private static let longest = 200

    /// Reads a pattern; ASCII letters are fields unless they are in apostrophes, and two
    /// apostrophes mean one.
    init(_ text: String) throws(ValueFault) {
        guard !text.isEmpty, text.utf8.count <= Self.longest else {
            throw ValueFault(.badValue, "a date pattern has 1 to \(Self.longest) bytes")
        }
        var parts: [Part] = []
        var literal = ""
        var isQuoted = false
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "'" {
                if rest.first == "'" {
                    literal.unicodeScalars.append(scalar)
                    rest.removeFirst()
                } else {
                    isQuoted.toggle()
                }
            } else if isQuoted || !scalar.properties.isAlphabetic || !scalar.isASCII {
                literal.unicodeScalars.append(scalar)
            } else {
                let others = rest.prefix { $0 == scalar }
                rest = rest.dropFirst(others.count)
                let width = others.count + 1
                guard width <= Self.fields[scalar] ?? 0 else {
                    let field = String(repeating: String(Character(scalar)), count: width)
                    throw ValueFault(
                        .badValue,
                        "`\(field.excerpt)` in `\(text.excerpt)` is not a supported field of a date",
                        help: "the fields are \(Self.fieldNames); letters in apostrophes are text"
                    )
                }
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                parts.append(.field(scalar, width: width))
            }
        }
        guard !isQuoted else {
            throw ValueFault(.badValue, "`\(text.excerpt)` has an apostrophe without its partner")
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.parts = parts
    }

    private static var fieldNames: String {
        fields.keys.sorted().map { "`\($0)`" }.joined(separator: ", ")
    }

    /// A distance from UTC in seconds: `UTC`, `Z`, or hours and minutes like `+01:00`.
    static func parseOffset(_ text: String) throws(ValueFault) -> Int64 {
        if text == "UTC" || text == "Z" { return 0 }
        let bytes = Array(text.utf8)
        let digits = [1, 2, 4, 5].compactMap { place -> Int64? in
            guard bytes.count == 6, bytes[place].isDigit else { return nil }
            return Int64(bytes[place] - 48)
        }
        let isSigned = bytes.first == UInt8(ascii: "+") || bytes.first == UInt8(ascii: "-")
        guard isSigned, digits.count == 4, bytes[3] == UInt8(ascii: ":"),
            case let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3]),
            hours < 24, minutes < 60
        else {
            throw ValueFault(
                .badValue,
                "`\(text.excerpt)` is not a distance from UTC",
                help: "write `UTC`, or hours and minutes like `+01:00`"
            )
        }
        let seconds = hours * 3600 + minutes * 60
        return bytes.first == UInt8(ascii: "-") ? -seconds : seconds
    }

    /// The text of a time.
    func text(of time: TimestampText) -> String {
        let local = time.seconds + offset
        var second = local % 86_400
        if second < 0 { second += 86_400 }
        let date = CivilDate(daysSinceEpoch: (local - second) / 86_400)
        return parts.map { part in
            switch part {
            case .text(let text): text
            case .field(let letter, let width):
                value(of: letter, width, date, second, time.nanoseconds)
            }
        }.joined()
    }

    private func value(
        of letter: Unicode.Scalar,
        _ width: Int,
        _ date: CivilDate,
        _ second: Int64,
        _ nanoseconds: Int64
    ) -> String {
        let hour = second / 3600
        switch letter {
        case "y": return Self.year(date.year > 0 ? date.year : 1 - date.year, width)
        case "M", "L":
            if width < 3 { return date.month.padded(to: width) }
            return Self.name(Self.months[Int(date.month) - 1], width)
        case "d": return date.day.padded(to: width)
        case "D":
            let first = CivilDate(year: date.year, month: 1, day: 1).daysSinceEpoch
            return (date.daysSinceEpoch - first + 1).padded(to: width)
        case "E":
            let day = ((date.daysSinceEpoch + 4) % 7 + 7) % 7
            return Self.name(Self.days[Int(day)], width)
        case "a": return hour < 12 ? "AM" : "PM"
        case "H": return hour.padded(to: width)
        case "h": return ((hour + 11) % 12 + 1).padded(to: width)
        case "K": return (hour % 12).padded(to: width)
        case "k": return (hour == 0 ? 24 : hour).padded(to: width)
        case "m": return (second / 60 % 60).padded(to: width)
        case "s": return (second % 60).padded(to: width)
        case "S": return String(nanoseconds.padded(to: 9).prefix(width))
        default: return zone(letter, width)
        }
    }

    private static func year(_ year: Int64, _ width: Int) -> String {
        width == 2 ? (year % 100).padded(to: 2) : year.padded(to: width)
    }

    /// Three letters, the whole name, one letter or two.
    private static func name(_ name: String, _ width: Int) -> String {
        switch width {
        case 4: name
        case 5: String(name.prefix(1))
        case 6: String(name.prefix(2))
        default: String(name.prefix(3))
        }
    }

    /// The distance from UTC; `X` and `ZZZZZ` write `Z` for none.
    private func zone(_ letter: Unicode.Scalar, _ width: Int) -> String {
        let sign = offset < 0 ? "-" : "+"
        let hours = (abs(offset) / 3600).padded(to: 2)
        let minutes = (abs(offset) / 60 % 60).padded(to: 2)
        switch (letter, width) {
        case ("X", _) where offset == 0, ("Z", 5) where offset == 0: return "Z"
        case ("Z", 4): return offset == 0 ? "GMT" : "GMT\(sign)\(hours):\(minutes)"
        case ("Z", 5), ("X", 3), ("x", 3): return "\(sign)\(hours):\(minutes)"
        case ("X", 1), ("x", 1): return sign + hours + (minutes == "00" ? "" : minutes)
        default: return sign + hours + minutes
        }
    }
}
