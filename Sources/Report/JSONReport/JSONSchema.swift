internal import JSON

/// The schema of a value in the report, in terms of JSON Schema draft-07
/// (https://json-schema.org/draft-07/json-schema-validation).
indirect enum JSONSchema: Sendable {
    case boolean
    /// An integer in this range.
    case integer(ClosedRange<Int64>)
    /// A number from 0 to 1.
    case fraction
    case string
    /// A string that matches the regular expression.
    case pattern(String)
    /// RFC 3339 in UTC with six fractional digits.
    case date
    /// One of these strings.
    case oneOf([String])
    /// Exactly this number.
    case exactly(Int64)
    case array(JSONSchema)
    case object(ObjectSchema)
    /// One of these objects.
    case oneOfObjects([ObjectSchema])
    case nullable(JSONSchema)

    /// A nonnegative integer.
    static let count = JSONSchema.integer(0...Int64.max)
    /// A SHA-256 in hexadecimal.
    static let sha256 = JSONSchema.pattern("^[0-9a-f]{64}$")
    /// A TCP port.
    static let port = JSONSchema.integer(1...65535)

    private static let datePattern =
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$"

    /// The objects that this schema refers to by name.
    var objects: [ObjectSchema] {
        switch self {
        case .object(let object): [object]
        case .oneOfObjects(let objects): objects
        case .array(let element), .nullable(let element): element.objects
        default: []
        }
    }

    /// Writes the schema's keywords into an open object.
    func writeKeywords(to writer: inout JSONWriter) {
        switch self {
        case .boolean:
            writer.member("type", "boolean")
        case .integer, .exactly, .fraction, .string, .pattern, .date, .oneOf:
            writer.member("type", typeName)
            writeConstraint(orNull: false, to: &writer)
        case .array(let element):
            writer.member("type", "array")
            writer.key("items")
            element.write(to: &writer)
        case .object(let object):
            writer.member("$ref", object.reference)
        case .oneOfObjects(let objects):
            writer.key("anyOf")
            writer.beginArray()
            for object in objects { JSONSchema.object(object).write(to: &writer) }
            writer.endArray()
        case .nullable(let wrapped):
            wrapped.writeNullable(to: &writer)
        }
    }

    private func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeKeywords(to: &writer)
        writer.endObject()
    }

    /// The JSON type of a schema that is neither an array nor an object.
    private var typeName: String {
        switch self {
        case .boolean: "boolean"
        case .integer, .exactly: "integer"
        case .fraction: "number"
        default: "string"
        }
    }

    private func writeNullable(to writer: inout JSONWriter) {
        switch self {
        case .array, .object, .oneOfObjects, .nullable:
            writer.key("anyOf")
            writer.beginArray()
            write(to: &writer)
            writer.beginObject()
            writer.member("type", "null")
            writer.endObject()
            writer.endArray()
        default:
            writer.key("type")
            writer.beginArray()
            writer.string(typeName)
            writer.string("null")
            writer.endArray()
            writeConstraint(orNull: true, to: &writer)
        }
    }

    /// Writes the constraints of a scalar besides its type.
    private func writeConstraint(orNull: Bool, to writer: inout JSONWriter) {
        switch self {
        case .integer(let range):
            writer.member("minimum", range.lowerBound)
            guard range.upperBound < .max else { return }
            writer.member("maximum", range.upperBound)
        case .fraction:
            writer.member("minimum", Int64(0))
            writer.member("maximum", Int64(1))
        case .pattern(let pattern):
            writer.member("pattern", pattern)
        case .date:
            writer.member("format", "date-time")
            writer.member("pattern", Self.datePattern)
        case .oneOf(let values):
            writer.key("enum")
            writer.beginArray()
            for value in values { writer.string(value) }
            if orNull { writer.null() }
            writer.endArray()
        case .exactly(let value):
            writer.member("const", value)
        case .boolean, .string, .array, .object, .oneOfObjects, .nullable:
            break
        }
    }
}

/// A JSON object of the report with all its members in order; all are required, and no others are
/// allowed.
struct ObjectSchema: Sendable {
    /// One member of an object.
    struct Member: Sendable {
        var name: String
        var description: String
        var schema: JSONSchema
    }

    /// The name among the schema's definitions.
    var name: String
    var description: String
    var members: [Member]

    /// The reference to this definition in the schema.
    var reference: String { "#/definitions/\(name)" }

    /// Writes the keywords of the object's schema into an open object.
    func writeKeywords(to writer: inout JSONWriter) {
        writer.member("description", description)
        writer.member("type", "object")
        writer.member("additionalProperties", false)
        writer.key("required")
        writer.beginArray()
        for member in members { writer.string(member.name) }
        writer.endArray()
        writer.key("properties")
        writer.beginObject()
        for member in members {
            writer.key(member.name)
            writer.beginObject()
            writer.member("description", member.description)
            member.schema.writeKeywords(to: &writer)
            writer.endObject()
        }
        writer.endObject()
    }
}
