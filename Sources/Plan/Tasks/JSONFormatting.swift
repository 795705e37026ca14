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

    /// The form of `!!binary` values.
    enum DataStrategy: String, Sendable, CaseIterable {
        case base64
        /// A list of numbers.
        case deferredToData
    }

    /// The texts of numbers that JSON does not have.
    struct FloatTexts: Sendable, Hashable {
        var positiveInfinity = ""
        var negativeInfinity = ""
        var nan = ""

        /// The text of a number that is not finite.
        func text(of value: Double) -> String {
            value.isNaN ? nan : value < 0 ? negativeInfinity : positiveInfinity
        }
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
    /// The pattern of dates, which takes precedence over `dates`; nil without one.
    var datePattern: DatePattern?
    var data = DataStrategy.base64
    /// nil when a number that is not finite is an error.
    var floatTexts: FloatTexts?
}

/// How a body in memory is written and sent.
struct BodyEncoding: Sendable, Hashable {
    /// The coding of the bytes that are sent.
    enum Content: String, Sendable, CaseIterable {
        case identity
        case gzip
    }

    var json = JSONFormatting()
    var content = Content.identity
}
