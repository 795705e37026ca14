internal import JSON

/// The JSON Schema (draft-07) of a line of `EventLines`, made from the declarations that write it.
package enum EventSchema {
    /// The version of the events' format.
    static let formatVersion: Int64 = 1

    /// The events in the order of a run.
    private static let events: [ObjectSchema] = [
        RunBegins.schema, TaskBegins.schema, RunProgresses.schema, TaskRetries.schema,
        TaskWaitsForWay.schema, TaskWrites.schema, TaskEnds.schema, RunStops.schema,
        RunEnds.schema,
    ]

    /// The schema of `--progress json` as indented JSON with a final line feed.
    package static var text: String {
        document(title: "runner event", "An event of a run, a line of `--progress json`", events)
    }

    /// The schema of lines that are one of `events`, as indented JSON with a final line feed.
    static func document(
        title: String,
        _ description: String,
        _ events: [ObjectSchema]
    ) -> String {
        var writer = JSONWriter(isPretty: true)
        writer.beginObject()
        writer.member("$schema", "http://json-schema.org/draft-07/schema#")
        writer.member("title", title)
        writer.member("description", "\(description), format version \(formatVersion)")
        writer.key("oneOf")
        writer.beginArray()
        for event in events {
            writer.beginObject()
            writer.member("$ref", event.reference)
            writer.endObject()
        }
        writer.endArray()
        writer.key("definitions")
        writer.beginObject()
        for object in ReportSchema.definitions(of: events) {
            writer.key(object.name)
            writer.beginObject()
            object.writeKeywords(to: &writer)
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
        writer.newline()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
