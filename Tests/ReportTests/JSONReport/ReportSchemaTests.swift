import Report
import SystemKit
import TestSupport
import Testing

@Suite struct ReportSchemaTests {
    private func schema() throws -> JSONValue {
        try JSONValue(ReportSchema.text)
    }

    @Test func `the schema's file is what the program prints`() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let file = try InputFile(path: "/\(root)/schemas/report.schema.json")
        #expect(try file.readPrefix(limit: 1 << 20) == Array(ReportSchema.text.utf8))
    }

    @Test func `objects allow nothing that they do not name and require all that they name`() throws
    {
        let schema = try schema()
        let objects = [schema] + (schema["definitions"]?.members.map(\.value) ?? [])
        #expect(objects.count > 15)
        for object in objects {
            #expect(object["type"]?.string == "object")
            #expect(object["additionalProperties"] == .bool(false))
            let names = object["properties"]?.members.map(\.name) ?? []
            #expect(object["required"]?.elements.compactMap(\.string) == names)
        }
    }

    @Test func `members stand in the order in which the schema names them`() throws {
        let definitions = try #require(try schema()["definitions"])
        let task = try #require(try writtenReport(Samples.events).value["tasks"]?[0])
        let exchange = try #require(task["metrics"]?["transactionMetrics"]?[0])
        for (value, name) in [
            (task, "task"), (exchange, "transactionMetrics"), (task["response"], "response"),
            (exchange["request"], "request"), (task["metrics"]?["taskInterval"], "interval"),
        ] {
            let named = definitions[name]?["required"]?.elements.compactMap(\.string)
            #expect(value?.members.map(\.name) == named, "\(name)")
        }
    }

    @Test func `a member that the schema does not name is a fault, and so is one that is missing`()
        throws
    {
        let validator = JSONSchemaValidator(schema: try schema())
        let text = try writtenReport(Samples.events).text
        for (part, replacement) in [
            (#""changed":true"#, #""changed":true,"new":1"#), (#""changed":true,"#, ""),
            (#""formatVersion":1"#, #""formatVersion":2"#),
            (#""statusCode":200"#, #""statusCode":"200""#),
            (#""outcome":"skipped""#, #""outcome":"odd""#), (".000017Z", "Z"),
            (#""remotePort":443"#, #""remotePort":0"#),
            (#""isMultipath":false"#, #""isMultipath":null"#),
        ] {
            let changed = text.replacingFirst(part, with: replacement)
            #expect(changed != text)
            #expect(!validator.faults(in: try JSONValue(changed)).isEmpty, "\(part)")
        }
    }
}

extension String {
    /// The text with the first occurrence of `part` replaced.
    fileprivate func replacingFirst(_ part: String, with replacement: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        var copy = self
        copy.replaceSubrange(range, with: replacement)
        return copy
    }
}
