internal import JSON

/// The JSON Schema (draft-07) of each line of the conversation, made from the shapes that read it.
package enum ConversationSchema {
    /// The schema as indented JSON with a final line feed.
    package static var text: String {
        JSONWriter.schema("runner protocol") { writer in
            writer.member(
                "description",
                "One message of the conversation with a program that serves a custom scheme, "
                    + "version \(ConversationLimits.version)"
            )
            writer.array("oneOf") { writer in
                for shape in MessageShape.all {
                    writer.object { $0.member("$ref", "#/definitions/\(shape.name)") }
                }
            }
            writer.object("definitions") { writer in
                for shape in MessageShape.all {
                    writer.object(shape.name) { write(shape, to: &$0) }
                }
            }
        }
    }

    private static func write(_ shape: MessageShape, to writer: inout JSONWriter) {
        writer.member("description", shape.summary)
        let required = ["message"] + shape.members.filter(\.isRequired).map(\.name)
        writer.closedObject(required: required) { writer in
            writer.object("message") { $0.member("const", shape.name) }
            for member in shape.members {
                writer.object(member.name) { writer in
                    writer.member("description", member.summary)
                    write(member.type, to: &writer)
                }
            }
        }
    }

    /// Writes the keywords of a type into an open object.
    private static func write(_ type: MemberType, to writer: inout JSONWriter) {
        switch type {
        case .integer(let range):
            writer.member("type", "integer")
            writer.member("minimum", range.lowerBound)
            writer.member("maximum", range.upperBound)
        case .status(let numbers): writer.array("enum", of: numbers) { $1.integer(Int64($0)) }
        case .nullableCount:
            writer.array("type", of: ["integer", "null"]) { $1.string($0) }
            writer.member("minimum", 0)
        case .text(let limit):
            writer.member("type", "string")
            writer.member("minLength", 1)
            writer.member("maxLength", limit)
            writer.member("pattern", #"^[^\x00-\x1F\x7F]+$"#)
        case .choice(let names): writer.array("enum", of: names) { $1.string($0) }
        case .boolean: writer.member("type", "boolean")
        case .fields:
            writer.member("type", "array")
            writer.member("maxItems", ConversationLimits.mostFields)
            writer.object("items", writeField)
        case .body:
            writer.array("anyOf") { writer in
                writer.object { $0.member("type", "null") }
                writer.object { writer in
                    writer.closedObject(required: ["length"]) { writer in
                        writer.object("length") { write(.nullableCount, to: &$0) }
                    }
                }
            }
        }
    }

    /// Writes the schema of a header field (RFC 9110 §5.6.2, §5.5).
    private static func writeField(to writer: inout JSONWriter) {
        writer.closedObject(required: ["name", "value"]) { writer in
            for (name, pattern) in [
                ("name", "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"),
                ("value", #"^[^\x00-\x08\x0A-\x1F\x7F]*$"#),
            ] {
                writer.object(name) { writer in
                    writer.member("type", "string")
                    writer.member("pattern", pattern)
                }
            }
        }
    }
}
