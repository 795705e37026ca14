internal import Diagnostics
internal import JSON
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Values of the document as JSON text.
enum JSONBody {
    /// The limit of a body in bytes: aliases can expand a few lines to far more.
    static let largestBody = 16 << 20

    /// A value of the document as JSON text, as JSONEncoder would write it; nil after a fault.
    ///
    /// Only a value that is sent may hold secrets.
    static func json(
        _ field: Field,
        _ formatting: JSONFormatting,
        isSent: Bool = false,
        _ reader: inout Reader
    ) -> [UInt8]? {
        reader.ifFaultless { reader in
            var writer = JSONWriter(
                isPretty: formatting.isPretty,
                escapesSlashes: formatting.escapesSlashes,
                followsJSONEncoder: true
            )
            if TemplateBody.isMeant(by: field.node, in: reader.document) {
                TemplateBody.write(field, to: &writer, formatting, &reader) {
                    scalar,
                    field,
                    writer,
                    reader in
                    write(scalar, of: field, to: &writer, formatting, &reader)
                }
            } else if reader.document.kind(of: field.node) == .scalar {
                let scalar = writeScalar(field, to: &writer, formatting, isSent: isSent, &reader)
                if isSent, let scalar { BodyText.warnOfString(inJSON: scalar, field, &reader) }
            } else {
                write(field, to: &writer, formatting, isSent: isSent, &reader)
            }
            if writer.count > largestBody { reportTooLarge(field.name, at: field.key, &reader) }
            return writer.bytes
        }
    }

    /// Reports a body that would not fit into the memory.
    static func reportTooLarge(_ name: String, at key: NodeID, _ reader: inout Reader) {
        reader.report(
            .outOfRange,
            "`\(name)`: the body is larger than 16 MiB; send it from a `file`",
            at: key
        )
    }

    private static func write(
        _ field: Field,
        to writer: inout JSONWriter,
        _ formatting: JSONFormatting,
        isSent: Bool,
        _ reader: inout Reader
    ) {
        guard writer.count <= Self.largestBody else { return }
        switch reader.document.kind(of: field.node) {
        case .scalar:
            writeScalar(field, to: &writer, formatting, isSent: isSent, &reader)
        case .sequence:
            writer.beginArray()
            for node in reader.document.elements(of: field.node) {
                let element = Field(name: field.name, key: field.key, node: node)
                write(element, to: &writer, formatting, isSent: isSent, &reader)
            }
            writer.endArray()
        case .mapping:
            writer.beginObject()
            for member in members(of: field, formatting, &reader) {
                Slips.warnOfExpression(inKeyOf: member, &reader)
                writer.key(member.name)
                write(member, to: &writer, formatting, isSent: isSent, &reader)
            }
            writer.endObject()
        }
    }

    /// The entries of a mapping with the names and in the order of the written JSON.
    private static func members(
        of field: Field,
        _ formatting: JSONFormatting,
        _ reader: inout Reader
    ) -> [Field] {
        let document = reader.document
        var members: [Field] = []
        members.reserveCapacity(document.count(of: field.node))
        for entry in document.entries(of: field.node) { members.append(Field(entry, in: document)) }
        if formatting.keys == .convertToSnakeCase {
            members = members.map { member in
                Field(name: SnakeCase.convert(member.name), key: member.key, node: member.node)
            }
            reportCollisions(of: members, &reader)
        }
        if formatting.sortsKeys { members.sort { $0.name < $1.name } }
        return members
    }

    /// Reports keys that were different before they were converted.
    private static func reportCollisions(of members: [Field], _ reader: inout Reader) {
        var known: [String: NodeID] = [:]
        for member in members {
            guard let first = known.updateValue(member.key, forKey: member.name) else { continue }
            reader.report(
                .conflictingKeys,
                "`\(reader.document.text(of: first))` and `\(reader.document.text(of: member.key))` "
                    + "both become `\(member.name)`",
                at: member.key,
                notes: [.init("the first one is here", at: reader.document.range(of: first))]
            )
        }
    }

    /// Writes a scalar, `null` for a value that is known later; returns the written value, nil
    /// after a fault.
    @discardableResult
    private static func writeScalar(
        _ field: Field,
        to writer: inout JSONWriter,
        _ formatting: JSONFormatting,
        isSent: Bool,
        _ reader: inout Reader
    ) -> ScalarValue? {
        Slips.warnOfPlaceholders(in: field, isBody: true, &reader)
        let value = isSent ? reader.sentScalar(field, as: .body) : reader.scalar(field)
        guard var scalar = value, !scalar.isKnownLater else {
            writer.null()
            return nil
        }
        // A tag also applies to a filled-in value.
        if scalar.isFilledIn {
            let tagged = reader.document.scalar(of: field.node)
            if tagged == .timestamp || tagged == .binary { scalar.type = tagged }
        }
        return write(scalar, of: field, to: &writer, formatting, &reader) ? scalar : nil
    }

    /// Writes a value that is known; false after a fault.
    @discardableResult
    private static func write(
        _ scalar: ScalarValue,
        of field: Field,
        to writer: inout JSONWriter,
        _ formatting: JSONFormatting,
        _ reader: inout Reader
    ) -> Bool {
        switch scalar.type {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .string: writer.string(scalar.text)
        case .integer(let value?): writer.integer(value)
        case .integer(nil):
            guard let digits = Self.decimalDigits(scalar.text) else {
                reader.report(
                    .badJSON,
                    "`\(field.name)`: `\(scalar.text)` is too large to be written in decimal",
                    at: field.node
                )
                return false
            }
            writer.raw(digits)
        // The text is a JSON number already, perhaps one that no double can represent.
        case .float where scalar.isCaptured: writer.raw(scalar.text.utf8)
        case .float(let value) where value.isFinite: writer.number(value)
        case .float(let value):
            guard let texts = formatting.floatTexts, Self.isNamed(scalar.text) else {
                reportNotFinite(scalar.text, field, &reader)
                return false
            }
            writer.string(texts.text(of: value))
        case .timestamp:
            guard let time = reader.parsed(scalar.text, of: field, TimestampText.parse) else {
                return false
            }
            write(time, to: &writer, formatting)
        case .binary:
            guard let bytes = bytes(of: scalar, formatting.data, field, &reader) else {
                return false
            }
            write(bytes, to: &writer, formatting.data)
        }
        return true
    }

    private static func write(
        _ time: TimestampText,
        to writer: inout JSONWriter,
        _ formatting: JSONFormatting
    ) {
        if let pattern = formatting.datePattern { return writer.string(pattern.text(of: time)) }
        switch formatting.dates {
        case .iso8601: writer.string(time.iso8601)
        case .secondsSince1970: writer.raw(time.secondsSince1970.utf8)
        case .millisecondsSince1970: writer.raw(time.millisecondsSince1970.utf8)
        case .deferredToDate: writer.raw(time.secondsSinceReferenceDate.utf8)
        }
    }

    private static func write(
        _ bytes: [UInt8],
        to writer: inout JSONWriter,
        _ strategy: JSONFormatting.DataStrategy
    ) {
        switch strategy {
        case .base64: writer.string(Base64.encode(bytes))
        case .deferredToData:
            writer.beginArray()
            for byte in bytes { writer.integer(Int64(byte)) }
            writer.endArray()
        }
    }

    /// The bytes of a `!!binary` value, in which blanks and line breaks mean nothing
    /// (https://yaml.org/type/binary.html); nil after a fault.
    ///
    /// A secret has its own text only in a run.
    private static func bytes(
        of scalar: ScalarValue,
        _ strategy: JSONFormatting.DataStrategy,
        _ field: Field,
        _ reader: inout Reader
    ) -> [UInt8]? {
        guard scalar.secrets.isEmpty || strategy == .base64 else {
            reader.report(
                .badJSON,
                "`\(field.name)`: reports could not hide a secret that is a list of numbers",
                at: field.node,
                help: "use `dataEncodingStrategy: base64`"
            )
            return nil
        }
        let digits = scalar.text.utf8.filter { ![9, 10, 13, 32].contains($0) }
        if let bytes = Base64.decode(digits) { return bytes }
        guard scalar.secrets.isEmpty || reader.isReadingAgain else { return [] }
        reader.report(
            .badJSON,
            "`\(field.name)`: the `!!binary` value is not Base64 (RFC 4648 §4)",
            at: field.node
        )
        return nil
    }

    private static func reportNotFinite(_ text: String, _ field: Field, _ reader: inout Reader) {
        reader.report(
            .badJSON,
            Self.isNamed(text)
                ? "`\(field.name)`: `\(text)` is not a number of JSON"
                : "`\(field.name)`: `\(text)` is larger than a number can be here",
            at: field.node,
            help: "quote it to send it as a string"
        )
    }

    /// Whether a float is `.inf` or `.nan`, which JSON has no spelling for, rather than digits
    /// beyond its range.
    private static func isNamed(_ text: String) -> Bool {
        !text.utf8.contains(where: \.isDigit)
    }

    /// A decimal integer of any size as JSON writes it, without a plus; nil for `0x` and `0o`.
    private static func decimalDigits(_ text: String) -> Substring.UTF8View? {
        let digits = text.withoutBytePrefix("+") ?? text[...]
        let isDecimal = digits.utf8.allSatisfy {
            $0.isDigit || $0 == UInt8(ascii: "-")
        }
        return isDecimal ? digits.utf8 : nil
    }
}
