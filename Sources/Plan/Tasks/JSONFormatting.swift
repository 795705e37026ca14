/// How a JSON body is written: the options of JSONEncoder.
struct JSONFormatting: Sendable, Hashable {
    /// The form of the keys of mappings.
    enum KeyStrategy: String, Sendable, CaseIterable {
        case useDefaultKeys
        case convertToSnakeCase
    }

    /// The form of `!!timestamp` values.
    enum DateStrategy: String, Sendable, CaseIterable {
        case iso8601
        case secondsSince1970
        case millisecondsSince1970
        case deferredToDate
    }

    /// The names of `JSONEncoder.OutputFormatting`.
    enum Option: String, Sendable, CaseIterable {
        case prettyPrinted
        case sortedKeys
        case withoutEscapingSlashes
    }

    var isPretty = false
    var sortsKeys = false
    var escapesSlashes = true
    var keys = KeyStrategy.useDefaultKeys
    var dates = DateStrategy.iso8601
}
