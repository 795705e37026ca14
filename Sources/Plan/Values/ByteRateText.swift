internal import Diagnostics
internal import SystemKit

/// Rates as the job file writes them: a size with a unit, per second, such as `100B/s` or `5MiB/s`.
enum ByteRateText {
    /// The pattern of the JSON Schema; `parse` is stricter only in the largest rate.
    static let pattern = #"^\d+(\.\d+)?([kK]?B|[KMGT]iB|[MGT]B)/s$"#

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
