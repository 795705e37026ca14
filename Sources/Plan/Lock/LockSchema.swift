internal import JSON

/// The JSON Schema (draft-07) of a lock file.
package enum LockSchema {
    /// A member of a download's object.
    struct Member {
        var name: String
        var description: String
        /// Writes the keywords of its value.
        var write: @Sendable (inout JSONWriter) -> Void
    }

    /// The members in their order; all are required, and no others are allowed.
    static let members = [
        Member(
            name: "id",
            description: "The id of the download in the job file, with its key in a forEach",
            write: text
        ),
        Member(
            name: "url",
            description: "The URL of the job file; its query has expressions as they are written",
            write: text
        ),
        Member(name: "mirrors", description: "The mirrors of the job file") { writer in
            writer.member("type", "array")
            writer.key("items")
            writer.beginObject()
            text(&writer)
            writer.endObject()
        },
        Member(name: "to", description: "The destination of the job file", write: text),
        Member(
            name: "checksum",
            description: "The checksum of the job file, or where it comes from; null without one",
            write: optionalText
        ),
        Member(
            name: "finalUrl",
            description: "The URL after all redirects, without login and query; null for any",
            write: optionalText
        ),
        Member(
            name: "validator",
            description: "The strong ETag of the response, else its Last-Modified; null for any",
            write: optionalText
        ),
        Member(name: "size", description: "The size of the file, bytes") { writer in
            writer.member("type", "integer")
            writer.member("minimum", 0)
        },
        Member(name: "sha256", description: "The SHA-256 of the file") { writer in
            text(&writer)
            writer.member("pattern", "^[0-9a-f]{64}$")
        },
    ]

    @Sendable private static func text(_ writer: inout JSONWriter) {
        writer.member("type", "string")
    }

    @Sendable private static func optionalText(_ writer: inout JSONWriter) {
        writer.key("type")
        writer.beginArray()
        writer.string("string")
        writer.string("null")
        writer.endArray()
    }

    /// The schema as indented JSON with a final line feed.
    package static var text: String {
        var writer = JSONWriter(isPretty: true)
        writer.beginObject()
        writer.member("$schema", "http://json-schema.org/draft-07/schema#")
        writer.member("title", "runner lock file")
        writer.member(
            "description",
            "The downloads of a job as `runner lock` found them: one line for each, sorted by id"
        )
        beginProperties(required: ["formatVersion", "downloads"], in: &writer)
        writer.key("formatVersion")
        writer.beginObject()
        writer.member("type", "integer")
        writer.member("const", LockFile.formatVersion)
        writer.endObject()
        writer.key("downloads")
        writer.beginObject()
        writer.member("type", "array")
        writer.key("items")
        writer.beginObject()
        beginProperties(required: members.map(\.name), in: &writer)
        for member in members {
            writer.key(member.name)
            writer.beginObject()
            writer.member("description", member.description)
            member.write(&writer)
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.newline()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes the keywords of an object without other members, and opens its properties.
    private static func beginProperties(required: [String], in writer: inout JSONWriter) {
        writer.member("type", "object")
        writer.member("additionalProperties", false)
        writer.key("required")
        writer.beginArray()
        for name in required { writer.string(name) }
        writer.endArray()
        writer.key("properties")
        writer.beginObject()
    }
}
