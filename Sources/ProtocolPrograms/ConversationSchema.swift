internal import JSON

/// The JSON Schema (draft-07) of each line of the conversation, made from the shapes that read it.
package enum ConversationSchema {
    /// The schema as indented JSON with a final line feed.
    package static var text: String {
        var writer = JSONWriter(isPretty: true)
        writer.beginObject()
        writer.member("$schema", "http://json-schema.org/draft-07/schema#")
        writer.member("title", "runner protocol")
        writer.member(
            "description",
            "One message of the conversation with a program that serves a custom scheme, version "
                + "\(ConversationLimits.version)"
        )
        writer.key("oneOf")
        writer.beginArray()
        for shape in MessageShape.all {
            writer.beginObject()
            writer.member("$ref", "#/definitions/\(shape.name)")
            writer.endObject()
        }
        writer.endArray()
        writer.key("definitions")
        writer.beginObject()
        for shape in MessageShape.all {
            writer.key(shape.name)
            write(shape, to: &writer)
        }
        writer.endObject()
        writer.endObject()
        writer.newline()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func write(_ shape: MessageShape, to writer: inout JSONWriter) {
        beginObject(
            required: ["message"] + shape.members.filter(\.isRequired).map(\.name),
            summary: shape.summary,
            to: &writer
        )
        writer.key("message")
        writer.beginObject()
        writer.member("const", shape.name)
        writer.endObject()
        for member in shape.members {
            writer.key(member.name)
            writer.beginObject()
            writer.member("description", member.summary)
            write(member.type, to: &writer)
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
    }

    /// Opens an object's schema and its properties.
    private static func beginObject(
        required: [String],
        summary: String? = nil,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        if let summary { writer.member("description", summary) }
        writer.member("type", "object")
        writer.member("additionalProperties", false)
        writer.key("required")
        writer.beginArray()
        for name in required { writer.string(name) }
        writer.endArray()
        writer.key("properties")
        writer.beginObject()
    }

    /// Writes the keywords of a type into an open object.
    private static func write(_ type: MemberType, to writer: inout JSONWriter) {
        switch type {
        case .integer(let range):
            writer.member("type", "integer")
            writer.member("minimum", range.lowerBound)
            writer.member("maximum", range.upperBound)
        case .status(let numbers):
            writer.key("enum")
            writer.beginArray()
            for number in numbers { writer.integer(Int64(number)) }
            writer.endArray()
        case .nullableCount:
            writer.key("type")
            writer.beginArray()
            writer.string("integer")
            writer.string("null")
            writer.endArray()
            writer.member("minimum", 0)
        case .text(let limit):
            writer.member("type", "string")
            writer.member("minLength", 1)
            writer.member("maxLength", limit)
            writer.member("pattern", #"^[^\x00-\x1F\x7F]+$"#)
        case .choice(let names):
            writer.key("enum")
            writer.beginArray()
            for name in names { writer.string(name) }
            writer.endArray()
        case .boolean: writer.member("type", "boolean")
        case .fields:
            writer.member("type", "array")
            writer.member("maxItems", ConversationLimits.mostFields)
            writer.key("items")
            writeField(to: &writer)
        case .body:
            writer.key("anyOf")
            writer.beginArray()
            writer.beginObject()
            writer.member("type", "null")
            writer.endObject()
            beginObject(required: ["length"], to: &writer)
            writer.key("length")
            writer.beginObject()
            write(.nullableCount, to: &writer)
            writer.endObject()
            writer.endObject()
            writer.endObject()
            writer.endArray()
        }
    }

    /// Writes the schema of a header field (RFC 9110 §5.6.2, §5.5).
    private static func writeField(to writer: inout JSONWriter) {
        beginObject(required: ["name", "value"], to: &writer)
        for (name, pattern) in [
            ("name", "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"),
            ("value", #"^[^\x00-\x08\x0A-\x1F\x7F]*$"#),
        ] {
            writer.key(name)
            writer.beginObject()
            writer.member("type", "string")
            writer.member("pattern", pattern)
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
    }
}
