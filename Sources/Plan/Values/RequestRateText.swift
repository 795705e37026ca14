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
