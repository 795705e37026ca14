internal import JSON
internal import TransferModel

/// The JSON Schema (draft-07) of the report, made from the declarations that write the report.
package enum ReportSchema {
    /// The version of the report's format.
    static let formatVersion: Int64 = 1

    /// The members of the document, in the order of writing.
    ///
    /// Members known only at the end come last, so that tasks can be written as they finish.
    static let document: [ObjectSchema.Member] = [
        ObjectSchema.Member(
            name: "formatVersion",
            description: "The version of the report format",
            schema: .exactly(formatVersion)
        ),
        ObjectSchema.Member(
            name: "job",
            description: "The job file of the run",
            schema: .object(RunHeader.JobReport.schema)
        ),
        ObjectSchema.Member(
            name: "tasks",
            description: "One record for each task, in the order in which the tasks ended",
            schema: .array(.object(TaskRecord.Report.schema))
        ),
        ObjectSchema.Member(
            name: "run",
            description: "The run",
            schema: .object(FinishedRun.Report.schema)
        ),
        ObjectSchema.Member(
            name: "summary",
            description: "The sums over the tasks",
            schema: .object(RunSummary.Report.schema)
        ),
    ]

    /// The schema as indented JSON with a final line feed.
    package static var text: String {
        let root = ObjectSchema(
            name: "report",
            description: "The report of one run of a job, format version \(formatVersion)",
            members: document
        )
        var writer = JSONWriter(isPretty: true)
        writer.beginObject()
        writer.member("$schema", "http://json-schema.org/draft-07/schema#")
        writer.member("title", "runner report")
        root.writeKeywords(to: &writer)
        writer.key("definitions")
        writer.beginObject()
        for object in definitions(of: [root]) where object.name != root.name {
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

    /// The `roots` and all objects that they refer to, without duplicates, in order of first
    /// mention.
    static func definitions(of roots: [ObjectSchema]) -> [ObjectSchema] {
        var found = roots
        var waiting = roots
        while let object = waiting.popLast() {
            for mentioned in object.members.flatMap(\.schema.objects)
            where !found.contains(where: { $0.name == mentioned.name }) {
                found.append(mentioned)
                waiting.append(mentioned)
            }
        }
        return found
    }
}
