import Report
import SystemKit
import TestSupport
import TransferModel

/// The report that a run with those events writes, checked against the schema.
func writtenReport(
    _ events: [RunEvent],
    redactor: Redactor? = nil
) throws -> (value: JSONValue, text: String) {
    let file = MemoryFile()
    let report = jsonReport(to: file, redactor: redactor)
    for event in events { report.receive(event) }
    let value = try JSONValue(bytes: file.bytes)
    let schema = JSONSchemaValidator(schema: try JSONValue(ReportSchema.text))
    let faults = schema.faults(in: value) + ReportInvariants(report: value).violations()
    guard faults.isEmpty, report.isPublished else { throw InvalidReport(faults: faults) }
    return (value, String(decoding: file.bytes, as: UTF8.self))
}

struct InvalidReport: Error {
    var faults: [String]
}

/// The JSON report of a run as its only report, written to `file`.
func jsonReport(to file: MemoryFile, redactor: Redactor? = nil) -> Reports {
    Reports([Reports.Output(JSONReport()) { file }], redactor: redactor)
}

/// The JSON report of a run as its only report, published at `path`.
func jsonReport(path: String) -> Reports {
    Reports([
        Reports.Output(JSONReport()) { () throws(SystemError) in try PublishedReport(path: path) }
    ])
}
