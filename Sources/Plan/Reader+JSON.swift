internal import JSON
internal import JobFile

extension Reader {
    /// Bytes of a body: a file of a few lines can stand for far more by its aliases.
    private static let largestBody = 64 << 20

    /// A value of the document as JSON text, as JSONEncoder would write it; nil after a fault.
    ///
    /// Only one that is sent may hold secrets.
    mutating func json(
        _ field: Field,
        _ formatting: JSONFormatting,
        isSent: Bool = false
    ) -> [UInt8]? {
        let errors = errorCount
        var writer = JSONWriter(
            isPretty: formatting.options.contains(.prettyPrinted),
            escapesSlashes: !formatting.options.contains(.withoutEscapingSlashes),
            followsJSONEncoder: true
        )
        write(
            field,
            to: &writer,
            sortsKeys: formatting.options.contains(.sortedKeys),
            isSent: isSent
        )
        if writer.count > Self.largestBody {
            report(
                .outOfRange,
                "`\(field.name)`: the body is larger than 64 MiB; send it from a `file`",
                at: field.key
            )
        }
        return errorCount == errors ? writer.bytes : nil
    }

    private mutating func write(
        _ field: Field,
        to writer: inout JSONWriter,
        sortsKeys: Bool,
        isSent: Bool
    ) {
        guard writer.count <= Self.largestBody else { return }
        switch document.kind(of: field.node) {
        case .scalar:
            writeScalar(field, to: &writer, isSent: isSent)
        case .sequence:
            writer.beginArray()
            for node in document.elements(of: field.node) {
                let element = Field(name: field.name, key: field.key, node: node)
                write(element, to: &writer, sortsKeys: sortsKeys, isSent: isSent)
            }
            writer.endArray()
        case .mapping:
            writer.beginObject()
            var members = document.entries(of: field.node).map { entry in
                Field(name: document.text(of: entry.key), key: entry.key, node: entry.value)
            }
            if sortsKeys { members.sort { $0.name < $1.name } }
            for member in members {
                writer.key(member.name)
                write(member, to: &writer, sortsKeys: sortsKeys, isSent: isSent)
            }
            writer.endObject()
        }
    }

    private mutating func writeScalar(
        _ field: Field,
        to writer: inout JSONWriter,
        isSent: Bool
    ) {
        warnOfPlaceholders(in: field, isBody: true)
        guard let scalar = isSent ? sentScalar(field, as: .body) : scalar(field) else { return }
        switch scalar.type {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .string: writer.string(scalar.text)
        case .integer(let value?): writer.integer(value)
        case .integer(nil):
            guard let digits = Self.decimalDigits(scalar.text) else {
                report(
                    .badJSON,
                    "`\(field.name)`: `\(scalar.text)` is too large to be written in decimal",
                    at: field.node
                )
                return
            }
            writer.raw(digits)
        case .float(let value):
            guard value.isFinite else {
                report(
                    .badJSON,
                    "`\(field.name)`: `\(scalar.text)` is not a number of JSON",
                    at: field.node,
                    help: "quote it to send it as a string"
                )
                return
            }
            writer.number(value)
        case .timestamp:
            report(
                .notYetSupported,
                "`\(field.name)`: timestamps are not supported yet",
                at: field.node,
                help: "quote it to send it as a string"
            )
        }
    }

    /// A decimal integer of any size as JSON writes it, without a plus; nil for `0x` and `0o`.
    private static func decimalDigits(_ text: String) -> Substring.UTF8View? {
        let digits = text.hasPrefix("+") ? text.dropFirst() : text[...]
        let isDecimal = digits.utf8.allSatisfy {
            (48...57).contains($0) || $0 == UInt8(ascii: "-")
        }
        return isDecimal ? digits.utf8 : nil
    }
}
