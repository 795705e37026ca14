internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// Durations as the job file writes them: `250ms`, `30s`, `1h30m`, `7d`.
///
/// Units go from large to small, each at most once. Only the last number may have a fraction, down
/// to a nanosecond. The longest is 36,500 days, so that sums of a few cannot overflow.
enum DurationText {
    /// The pattern of the JSON Schema; only `parse` knows the longest duration.
    static let pattern = "^" + form + "$"
    /// The same without durations of zero.
    static let positivePattern = "^(?=.*[1-9])" + form + "$"

    /// Each unit in its turn, and a fraction of the last one only.
    static let form =
        "(\(number)d|" + #"(\d+d)?"# + "(\(number)h|" + #"(\d+h)?"# + "(\(number)m|"
        + #"(\d+m)?"# + "(\(number)s|" + #"(\d+s)?"# + "\(number)ms))))"
    private static let number = #"\d+(\.\d+)?"#

    private static let longest = Duration.seconds(36_500 * 86_400)

    static func parse(_ text: String) throws(ValueFault) -> Duration {
        var rest = text[...].utf8
        var total = Duration.zero
        var smallerUnits = DurationUnit.allCases[...]
        guard !rest.isEmpty else { throw malformed(text) }
        while !rest.isEmpty {
            guard let number = DecimalPrefix(&rest) else { throw malformed(text) }
            let name = String(rest.prefix(while: \.isLowercase)) ?? ""
            rest = rest.dropFirst(name.utf8.count)
            guard let index = smallerUnits.firstIndex(where: { $0.rawValue == name }),
                number.fraction.isEmpty || rest.isEmpty
            else { throw malformed(text) }
            let unit = smallerUnits[index]
            guard let part = number.scaled(by: unit.nanoseconds) else { throw tooLong }
            total += .nanoseconds(part)
            guard total <= longest else { throw tooLong }
            smallerUnits = smallerUnits[(index + 1)...]
        }
        return total
    }

    private static let tooLong = ValueFault(
        .outOfRange,
        "the longest duration is 36500d"
    )

    private static func malformed(_ text: String) -> ValueFault {
        if DecimalPrefix.isNumber(text) {
            return ValueFault(.badDuration, "a duration needs a unit", likely: text + "s")
        }
        return ValueFault(
            .badDuration,
            "`\(text.excerpt)` is not a duration",
            likely: likely(text),
            help: "write a number and a unit of d, h, m, s or ms, such as `30s` or `1h30m`"
        )
    }

    /// The other names that people give to units.
    private static let otherNames: [(unit: DurationUnit, names: [String])] = [
        (.days, ["day", "days"]),
        (.hours, ["hr", "hrs", "hour", "hours"]),
        (.minutes, ["min", "mins", "minute", "minutes"]),
        (.seconds, ["sec", "secs", "second", "seconds"]),
        (.milliseconds, ["msec", "msecs", "millisecond", "milliseconds", "millis"]),
    ]

    /// One number with a unit under another name, in capitals or after a space.
    private static func likely(_ text: String) -> String? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let name = text.dropFirst(number.count).drop { $0 == " " }.lowercased()
        guard DecimalPrefix.isNumber(String(number)) else { return nil }
        let unit =
            DurationUnit(rawValue: name) ?? otherNames.first { $0.names.contains(name) }?.unit
        return unit.map { number + $0.rawValue }
    }
}
