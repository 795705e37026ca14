internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// Rates of requests as the job file writes them: a number per second, minute or hour, such as
/// `10/s` or `30/m`.
enum RequestRateText {
    /// The pattern of the JSON Schema; `parse` is stricter only in the largest number.
    static let pattern = #"^[1-9]\d*/[smh]$"#

    private static let units: [(name: String, time: Duration)] = [
        ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
    ]
    private static let mostRequests: Int64 = 1_000_000

    /// A number from 1 to a million, per unit of time.
    static func parse(_ text: String) throws(ValueFault) -> RequestRate {
        let parts = text.splitAtBytes("/", omittingEmpty: false)
        guard parts.count == 2, isNumber(parts[0]),
            let unit = units.first(where: { $0.name == parts[1] })
        else { throw malformed(text) }
        guard let count = Int64(parts[0]), (1...mostRequests).contains(count) else {
            throw ValueFault(.outOfRange, "a rate of requests is from 1 to \(mostRequests)")
        }
        return RequestRate(count: count, time: unit.time)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isDigit)
    }

    private static func malformed(_ text: String) -> ValueFault {
        ValueFault(
            .badRate,
            "`\(text.excerpt)` is not a rate of requests",
            likely: likely(text),
            help: "write a number per second, minute or hour, such as `10/s` or `30/m`"
        )
    }

    /// A number alone, or a longer name of the unit.
    private static func likely(_ text: String) -> String? {
        let plain = text.filter { $0 != " " }.lowercased()
        let number = plain.prefix { $0.isASCII && $0.isNumber }
        guard !number.isEmpty, Int64(number) ?? 0 > 0 else { return nil }
        switch plain.dropFirst(number.count) {
        case "", "/sec", "/second", "persecond", "rps": return "\(number)/s"
        case "/min", "/minute", "perminute", "rpm": return "\(number)/m"
        case "/hour", "perhour": return "\(number)/h"
        default: return nil
        }
    }
}

/// Rates as the job file writes them: a size with a unit, per second, such as `100B/s` or `5MiB/s`.
enum ByteRateText {
    /// The pattern of the JSON Schema; `parse` is stricter only in the largest rate.
    static let pattern = #"^\d+(\.\d+)?([kK]?B|[KMGT]iB|[MGT]B)/s$"#
    /// For the help of reports and the schema.
    static let example = "100KiB/s"

    /// Bytes per second, at least 1.
    static func parse(_ text: String) throws(ValueFault) -> Int64 {
        var rest = text[...].utf8
        guard let number = DecimalPrefix(&rest), rest.suffix(2).elementsEqual("/s".utf8),
            let unit = ByteSizeText.units.first(where: {
                $0.name.utf8.elementsEqual(rest.dropLast(2))
            })
        else { throw malformed(text) }
        guard let bytes = number.scaled(by: unit.bytes), bytes <= 1 << 50 else {
            throw ValueFault(.outOfRange, "the largest rate is 1024TiB/s")
        }
        guard bytes > 0 else { throw ValueFault(.outOfRange, "a rate must be at least 1B/s") }
        return bytes
    }

    private static func malformed(_ text: String) -> ValueFault {
        if DecimalPrefix.isNumber(text) {
            return ValueFault(.badRate, "a rate needs a unit", likely: text + "B/s")
        }
        return ValueFault(
            .badRate,
            "`\(text.excerpt)` is not a rate",
            likely: likely(text),
            help: "write a size per second, such as `100B/s` or `5MiB/s`"
        )
    }

    /// A size alone, or one whose unit is in other capitals or after a space.
    private static func likely(_ text: String) -> String? {
        var rest = text[...].utf8
        guard DecimalPrefix(&rest) != nil else { return nil }
        let number = String(text.dropLast(rest.count))
        var name = (String(rest) ?? "").drop { $0 == " " }.lowercased()
        for ending in ["/s", "ps"] {
            name = name.withoutByteSuffix(ending).map(String.init) ?? name
        }
        return ByteSizeText.unit(likely: name).map { "\(number)\($0)/s" }
    }
}
