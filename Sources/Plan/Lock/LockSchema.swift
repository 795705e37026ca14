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
            writer.object("items", text)
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
        writer.array("type", of: ["string", "null"]) { $1.string($0) }
    }

    /// The schema as indented JSON with a final line feed.
    package static var text: String {
        JSONWriter.schema("runner lock file") { writer in
            writer.member(
                "description",
                "The downloads of a job as `runner lock` found them: one line for each, sorted by id"
            )
            writer.closedObject(required: ["formatVersion", "downloads"]) { writer in
                writer.object("formatVersion") { writer in
                    writer.member("type", "integer")
                    writer.member("const", LockFile.formatVersion)
                }
                writer.object("downloads") { writer in
                    writer.member("type", "array")
                    writer.object("items", writeDownload)
                }
            }
        }
    }

    private static func writeDownload(_ writer: inout JSONWriter) {
        writer.closedObject(required: members.map(\.name)) { writer in
            for member in members {
                writer.object(member.name) { writer in
                    writer.member("description", member.description)
                    member.write(&writer)
                }
            }
        }
    }
}
