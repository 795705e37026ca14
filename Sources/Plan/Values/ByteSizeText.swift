internal import Diagnostics

/// Sizes as the job file writes them: a number with a unit, such as `512B`, `10MiB` (1024) or
/// `10MB` (1000).
enum ByteSizeText {
    /// The pattern of the JSON Schema; `parse` is stricter only in the largest size.
    static let pattern = #"^\d+(\.\d+)?([kK]?B|[KMGT]iB|[MGT]B)$"#
    /// For the help of reports and the schema.
    static let example = "10MiB"

    static let type = ValueType(pattern: pattern, example: example, parse: parse)

    static let units: [(name: String, bytes: Int64)] = [
        ("B", 1),
        ("kB", 1000), ("KB", 1000), ("KiB", 1 << 10),
        ("MB", 1_000_000), ("MiB", 1 << 20),
        ("GB", 1_000_000_000), ("GiB", 1 << 30),
        ("TB", 1_000_000_000_000), ("TiB", 1 << 40),
    ]

    /// Bytes, 0 or more; a fraction of a byte is cut off.
    static func parse(_ text: String) throws(ValueFault) -> Int64 {
        var rest = text[...].utf8
        guard let number = DecimalPrefix(&rest),
            let unit = units.first(where: { $0.name.utf8.elementsEqual(rest) })
        else { throw malformed(text) }
        guard let bytes = number.scaled(by: unit.bytes), bytes <= 1 << 50 else {
            throw ValueFault(.outOfRange, "the largest size is 1024TiB")
        }
        return bytes
    }

    private static func malformed(_ text: String) -> ValueFault {
        if DecimalPrefix.isNumber(text) {
            return ValueFault(.badSize, "a size needs a unit", likely: text + "B")
        }
        return ValueFault(
            .badSize,
            "`\(text.excerpt)` is not a size",
            likely: likely(text),
            help: "write a number with a unit, such as `512B`, `10MiB` or `10MB`"
        )
    }

    /// A size whose unit is in other capitals, shortened or after a space.
    private static func likely(_ text: String) -> String? {
        var rest = text[...].utf8
        guard DecimalPrefix(&rest) != nil else { return nil }
        let number = String(text.dropLast(rest.count))
        let name = (String(rest) ?? "").drop { $0 == " " }.lowercased()
        return unit(likely: name).map { number + $0 }
    }

    /// The unit that a name in lower case, perhaps without its `b`, was probably meant to be.
    static func unit(likely name: String) -> String? {
        units.first { $0.name.lowercased() == name || $0.name.lowercased() == name + "b" }?.name
    }
}
