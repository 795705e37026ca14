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
            name: "detail",
            description: "How much of each task the report has",
            schema: .oneOf(ReportDetail.allCases.map(\.rawValue))
        ),
        ObjectSchema.Member(
            name: "job",
            description: "The job file of the run",
            schema: .object(RunHeader.JobReport.schema)
        ),
        ObjectSchema.Member(
            name: "tasks",
            description:
                "The tasks in the order in which they ended: a record of each with the detail "
                + "`full`; with `failures` a line of each that succeeded at once; with `summary` only "
                + "records of tasks that did not succeed",
            schema: .array(.oneOfObjects([TaskRecord.Report.schema, TaskRecord.Line.schema]))
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
        return root.document(title: "runner report")
    }

    /// Writes the definitions of objects into an open schema.
    static func writeDefinitions(_ objects: [ObjectSchema], to writer: inout JSONWriter) {
        writer.key("definitions")
        writer.beginObject()
        for object in objects {
            writer.key(object.name)
            writer.beginObject()
            object.writeKeywords(to: &writer)
            writer.endObject()
        }
        writer.endObject()
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

extension ObjectSchema {
    /// A schema whose root is the object, as indented JSON with a final line feed.
    func document(title: String) -> String {
        JSONWriter.schema(title) { writer in
            writeKeywords(to: &writer)
            let mentioned = ReportSchema.definitions(of: [self]).filter { $0.name != name }
            ReportSchema.writeDefinitions(mentioned, to: &writer)
        }
    }
}
